"""The tracked files of a checkout, for the scripts that build a copy of it."""
import os
import subprocess


def tracked_files(tree):
    """The paths of the tracked files that exist."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=tree, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [path for path in listing.split("\0") if path and os.path.lexists(os.path.join(tree, path))]


def remove_others(folder, paths):
    """Removes files of a folder that are not among these paths. Folders named `.build` are not changed."""
    known = set(paths)
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".build"]
        for file in files:
            full = os.path.join(place, file)
            if os.path.relpath(full, folder) not in known:
                os.remove(full)
