// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/exports/picture_page.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>

#include "gui/exports/destination.h"
#include "gui/exports/plot_box.h"
#include "gui/plots/panel.h"
#include "gui/plots/plot_board.h"

namespace mantissa::gui {
namespace {

constexpr int kFormWidth = 288, kPreviewMs = 60;
const QStringList kSuffixes{QStringLiteral("png"), QStringLiteral("svg"), QStringLiteral("pdf")};  // as PictureFormat

}  // namespace

PicturePage::PicturePage(SessionModel* session, const PlotBoard* board, QWidget* parent)
    : QWidget(parent), m_session(session), m_board(board), m_timer(kPreviewMs) {
    auto* row = makeRow(20, {}, this);
    auto* form = new QWidget(this);
    form->setFixedWidth(kFormWidth);
    auto* column = makeColumn(8, {}, form);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(8);
    grid->setColumnStretch(1, 1);
    m_plot = new PlotBox(tr("Which plot"), tr("The whole board"), board, form);
    m_format = new ComboBox(tr("Kind of file"), form);
    m_format->addItem(tr("PNG, a picture"));
    m_format->addItem(tr("SVG, a drawing"));
    m_format->addItem(tr("PDF, a drawing"));
    m_scale = new ComboBox(tr("Size"), form);
    for (int scale = 1; scale <= 4; ++scale) m_scale->addItem({}, scale);
    m_scale->setCurrentIndex(1);
    m_theme = new ComboBox(tr("Theme"), form);
    m_theme->addItem(tr("Light, for paper"));
    m_theme->addItem(tr("As shown"));
    ComboBox* const boxes[] = {m_plot, m_format, m_scale, m_theme};
    const QString names[] = {tr("Plot"), tr("File"), tr("Size"), tr("Theme")};
    for (int i = 0; i < 4; ++i) {
        grid->addWidget(makeLabel(names[i], "body2", form), i, 0);
        grid->addWidget(boxes[i], i, 1);
        connect(boxes[i], &QComboBox::currentIndexChanged, this, &PicturePage::refresh);
    }
    column->addLayout(grid);
    m_note = makeWrappedLabel({}, "secondary", form);
    column->addWidget(m_note);
    column->addStretch(1);
    m_said = makeWrappedLabel({}, "secondary", form);
    m_said->setObjectName(QStringLiteral("pictureSaid"));
    column->addWidget(m_said);
    auto* copies = new QHBoxLayout;
    QPushButton* asPicture = makeButton(tr("Copy picture"), QStringLiteral("copy"), tr("Copy as a picture"), form);
    QPushButton* asTable = makeButton(tr("Copy table"), QStringLiteral("copy"), tr("Copy as a table"), form);
    copies->addWidget(asPicture);
    copies->addWidget(asTable);
    column->addLayout(copies);
    QPushButton* saveButton = makeButton(tr("Save…"), {}, tr("Save the picture"), form);
    saveButton->setProperty("look", "primary");
    column->addWidget(saveButton);
    row->addWidget(form);

    m_preview = makeLabel({}, "", this);
    m_preview->setAlignment(Qt::AlignCenter);
    m_preview->setAccessibleName(tr("Preview of the picture"));
    m_preview->setMinimumSize(200, 200);
    m_preview->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);  // the picture adapts to the layout
    row->addWidget(m_preview, 1);

    connect(&m_timer, &QTimer::timeout, this, &PicturePage::refresh);
    connect(asPicture, &QPushButton::clicked, this, [this] { copy(CopyAs::Picture); });
    connect(asTable, &QPushButton::clicked, this, [this] { copy(CopyAs::Table); });
    connect(saveButton, &QPushButton::clicked, this, &PicturePage::save);
}

void PicturePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_timer.start();
}

void PicturePage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_timer.start();
}

PictureFormat PicturePage::format() const {
    return static_cast<PictureFormat>(m_format->currentIndex());
}

ThemeKind PicturePage::theme() const {
    return m_theme->currentIndex() == 0 ? ThemeKind::Light : Theme::current().kind;
}

BoardPicture PicturePage::picture() const {
    return {m_session, *m_board, m_plot->panel(), theme()};
}

void PicturePage::refresh() {
    if (!isVisible()) return;
    const BoardPicture shown = picture();
    const bool isPng = format() == PictureFormat::Png;
    m_scale->setEnabled(isPng);
    for (int i = 0; i < m_scale->count(); ++i) {
        const QSize size = shown.size() * m_scale->itemData(i).toInt();
        m_scale->setItemText(i, tr("%1x, %2 × %3").arg(m_scale->itemData(i).toInt()).arg(size.width()).arg(size.height()));
    }
    m_note->setText(
        isPng ? tr("Title, runs, seed and versions are in the picture and in its text fields; the experiment travels in the file.")
        : format() == PictureFormat::Svg
            ? tr("Lines and text stay sharp at any size. Title, runs, seed and versions are in the drawing and in its description.")
            : tr("Lines and text stay sharp at any size. Title, runs, seed and versions are on the page; the experiment is attached."));
    m_note->setMinimumHeight(m_note->heightForWidth(m_note->width()));  // a form of fixed width does not request it
    const qreal ratio = devicePixelRatioF();
    const QSizeF place = QSizeF(m_preview->size()) * ratio;
    // Drawn at the displayed size: thin lines would vanish if the picture were scaled down.
    const double scale = std::min({place.width() / shown.size().width(), place.height() / shown.size().height(), ratio});
    QPixmap pixmap = QPixmap::fromImage(shown.image(2 * scale))
                         .scaled((QSizeF(shown.size()) * scale).toSize(), Qt::KeepAspectRatio, Qt::SmoothTransformation);
    pixmap.setDevicePixelRatio(ratio);
    m_preview->setPixmap(pixmap);
}

void PicturePage::copy(CopyAs as) {
    say(copyPlot(m_session, *m_board, m_plot->panel(), as, theme(), m_scale->currentData().toInt()), false);
}

void PicturePage::save() {
    const QString plot = m_plot->panel() < 0 ? QString() : u'-' + m_plot->currentText().toLower().replace(u' ', u'-');
    const QString chosen = kSuffixes[m_format->currentIndex()];
    QStringList suffixes{chosen};
    suffixes << kSuffixes;
    suffixes.removeDuplicates();
    const QString path =
        askSavePath(this, tr("Save the picture"), experimentStem(m_session->experiment()) + plot + u'.' + chosen, suffixes);
    if (path.isEmpty()) return;
    // The typed suffix decides.
    m_format->setCurrentIndex(static_cast<int>(kSuffixes.indexOf(QFileInfo(path).suffix().toLower())));
    const QString problem = picture().write(path, format(), m_scale->currentData().toInt());
    say(problem.isEmpty() ? tr("Saved %1").arg(path) : problem, !problem.isEmpty());
}

}  // namespace mantissa::gui
