#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# appimage.sh [BUILD]: lays out build/appimage/AppDir from a release build (build/release when none is named) and makes an AppImage of it
# if appimagetool is installed. Wants Debian 12, the packages of packaging/setup.sh, and patchelf.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
app=$root/build/appimage/AppDir
say() { printf 'mantissa: %s\n' "$*"; }
fail() {
    say "$*" >&2
    exit 1
}
for tool in patchelf qtpaths6; do
    command -v "$tool" >/dev/null || fail "$tool is not installed"
done

# The parts of Qt that the window loads at run time. Qt in German and Chinese: only with Debian's package qt6-translations-l10n.
plugins=(platforms/libqxcb.so platforms/libqwayland-{egl,generic}.so platforms/libqoffscreen.so xcbglintegrations platforminputcontexts
    imageformats/libqsvg.so iconengines wayland-shell-integration wayland-decoration-client
    wayland-graphics-integration-client/libqt-plugin-wayland-egl.so)

# Libraries that every desktop has, the part of AppImage's list (excludelist of AppImageCommunity/pkg2appimage) that the programs can need.
# libstdc++ is a choice. The graphics driver needs the libstdc++ of its own system, and would not load beside an older one in the AppImage.
# Therefore the system has to have the libstdc++ of GCC 12 or newer.
left_out='^(ld-linux-x86-64|libc|libdl|libm|libpthread|libresolv|librt|libstdc\+\+|libgcc_s|libz|libcom_err|libexpat|libgpg-error|libuuid'
left_out+='|libGL|libEGL|libGLX|libGLdispatch|libOpenGL|libdrm|libgbm|libglapi|libwayland-client|libX11|libX11-xcb|libxcb|libxcb-dri[23]|libICE|libSM'
left_out+='|libfontconfig|libfreetype|libharfbuzz|libfribidi)\.so\.'

say "laying out $app"
rm -rf "$app"
# without the module for NVIDIA's GPUs, a component of its own
cmake --install "$build" --prefix "$app/usr" --strip --component Unspecified >/dev/null
from=$(qtpaths6 --query QT_INSTALL_PLUGINS)
for plugin in "${plugins[@]}"; do
    mkdir -p "$app/usr/plugins/$(dirname "$plugin")"
    cp -r "$from/$plugin" "$app/usr/plugins/$(dirname "$plugin")"
done
mkdir -p "$app/usr/lib" "$app/usr/translations"
for language in de zh_CN; do
    texts=$(qtpaths6 --query QT_INSTALL_TRANSLATIONS)/qtbase_$language.qm
    [ ! -e "$texts" ] || cp "$texts" "$app/usr/translations"
done
printf '[Paths]\nPrefix=..\n' >"$app/usr/bin/qt.conf"

# Follows what each file needs, except through libraries that are left out.
mapfile -t files < <(find "$app/usr/bin" "$app/usr/plugins" -type f ! -name qt.conf)
declare -A place
while read -r name path; do place[$name]=$path; done < <(ldd "${files[@]}" | sed -nE 's/^\s+(\S+) => (\/\S+) .*/\1 \2/p')
while [ ${#files[@]} -gt 0 ]; do
    mapfile -t needed < <(readelf -d "${files[@]}" | sed -nE 's/.*\(NEEDED\).*\[(.+)\]/\1/p' | sort -u | grep -vE "$left_out")
    files=()
    for name in "${needed[@]}"; do
        [ ! -e "$app/usr/lib/$name" ] || continue
        cp -L "${place[$name]:?this system lacks $name}" "$app/usr/lib/$name"
        files+=("$app/usr/lib/$name")
        # The library's licence. dpkg knows some files by their names in /usr/lib, and others by those in /lib.
        file=$(readlink -f "${place[$name]}")
        package=$(dpkg -S "$file" "${file#/usr}" 2>/dev/null | sed -n '1s/:.*//p' || true)
        [ -n "$package" ] || fail "no Debian package has $file"
        install -D -m 644 "/usr/share/doc/$package/copyright" "$app/usr/share/doc/$package/copyright"
    done
done
# The path of a program also applies to all libraries that it loads, and not to other programs that it starts, such as the browser.
patchelf --force-rpath --set-rpath "\$ORIGIN/../lib" "$app"/usr/bin/mantissa{,-lab}

cp "$app/usr/share/applications/mantissa-lab.desktop" "$app/usr/share/icons/hicolor/scalable/apps/mantissa-lab.svg" "$app"
ln -s mantissa-lab.svg "$app/.DirIcon"
cat >"$app/AppRun" <<'END'
#!/bin/sh
# Starts the window, or the command line if the AppImage is called `mantissa`, for instance through a link.
here=$(dirname "$(readlink -f "$0")")
case ${ARGV0##*/} in
    mantissa) exec "$here/usr/bin/mantissa" "$@" ;;
    *) exec "$here/usr/bin/mantissa-lab" "$@" ;;
esac
END
chmod 755 "$app/AppRun"
say "$(du -sh "$app" | cut -f 1), $(find "$app/usr/lib" -type f | wc -l) libraries"

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
if command -v appimagetool >/dev/null; then
    ARCH=x86_64 appimagetool "$app" "$root/build/appimage/mantissa-$version-x86_64.AppImage"
else
    say "the AppDir is ready; appimagetool, which makes mantissa-$version-x86_64.AppImage of it, is not installed"
fi
