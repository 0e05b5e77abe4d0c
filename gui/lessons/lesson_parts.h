// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the lesson panel: prose, progress dots, answers as cards, hidden runs, and the list of lessons. Each has a normal size and
// one for projectors. GUI thread only.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QTextBrowser>
#include <optional>

#include "engine/lessons/lesson.h"
#include "gui/app/theme.h"

namespace mantissa::gui {

/// Type sizes and spacing in pixels.
struct LessonSizes {
    int title, text, question, small, code;
    int padding, gap;
    static constexpr int kTightest = 3;
    /// Returns the sizes of the normal form, or of the presentation; of a presentation from 0 (much room) to kTightest.
    static const LessonSizes& of(bool isPresenting, int tightness = 0);
};

void writeSize(QLabel* label, int pixels, bool isBold);

/// Returns the bundled lessons in the window's language.
const std::vector<BundledLesson>& shownLessons();

/// Returns the plain text of Markdown.
QString wordsOf(const std::string& markdown);

/// Shows Markdown in the theme's colours, as high as its text. Code lines wrap at the panel's edge.
class LessonText : public QTextBrowser {
    Q_OBJECT
public:
    LessonText(const QString& accessibleName, QWidget* parent);
    /// `folder`: the folder of its pictures; empty: none.
    void setProse(const std::string& markdown, const QString& folder = {});
    void setSizes(const LessonSizes& sizes);
    /// Hides the prose; unfolded, it is shown unless it is empty.
    void setFolded(bool folded);

protected:
    /// Loads pictures of pixels from regular files of the folder, up to 16 MiB each and 32 million pixels in all; nothing else is read.
    QVariant loadResource(int type, const QUrl& name) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void write();
    void fit();
    QString m_markdown, m_folder;
    qint64 m_pixels = 0;  // of the pictures
    LessonSizes m_sizes;
    bool m_isFolded = false;
};

/// The progress of a lesson: one dot per step.
class StepDots : public QWidget {
    Q_OBJECT
public:
    explicit StepDots(QWidget* parent);
    void setPosition(int step, int count);
    void setSizes(const LessonSizes& sizes);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int m_step = 0, m_count = 1, m_pitch = 14;
};

/// A thin line with the progress of the training that a lesson waits for.
class TrainingLine : public QWidget {
    Q_OBJECT
public:
    explicit TrainingLine(QWidget* parent);
    void setProgress(std::int64_t done, std::int64_t until);
    QSize sizeHint() const override { return {100, 4}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double m_share = 0;
};

/// One answer. After the reveal it shows by a word and a sign whether it is right, and why.
class AnswerCard : public QRadioButton {
    Q_OBJECT
public:
    enum class Verdict { Open, Right, Wrong };  // also for answers that were not chosen
    AnswerCard(int place, const QString& text, QWidget* parent);
    void setSizes(const LessonSizes& sizes);
    void setVerdict(Verdict verdict, const QString& why);
    Verdict verdict() const { return m_verdict; }
    /// `counting`: a click counts as a vote and does not choose. `votes` of `all` are drawn as a bar; nothing: no bar.
    void setVotes(bool counting, std::optional<int> votes, int all);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {160, heightForWidth(320)}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool hitButton(const QPoint& place) const override { return rect().contains(place); }
    void nextCheckState() override;  // no change after the reveal or while votes are counted

private:
    QString noteText() const;
    QString votesText() const;
    QString m_letter, m_answer, m_why;
    Verdict m_verdict = Verdict::Open;
    bool m_isCounting = false;
    std::optional<int> m_votes;
    int m_allVotes = 0;
    LessonSizes m_sizes;
};

/// A chip for a hidden run: "run 3, hidden", with the run's dash and marker, but not its colour.
class HiddenRunChip : public QWidget {
    Q_OBJECT
public:
    HiddenRunChip(const QString& text, int identity, QWidget* parent);
    void setSizes(const LessonSizes& sizes);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_text;
    int m_identity;
    LessonSizes m_sizes;
};

/// A lesson in the list: number or tick, title, a sentence, duration.
class LessonEntry : public QPushButton {
    Q_OBJECT
public:
    LessonEntry(int number, const QString& title, const QString& summary, const QString& length, bool isFinished, QWidget* parent);
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return layOut(width, nullptr) + 10; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {160, heightForWidth(320)}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int layOut(int width, QPainter* painter) const;
    QString m_number, m_title, m_summary, m_length;
    bool m_isFinished;
};

}  // namespace mantissa::gui
