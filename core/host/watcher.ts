/** Watches what a reload would read. What a change means is not decided here: the host compares bytes. */
import { watch } from 'chokidar'
import type { FSWatcher } from 'chokidar'
import { statSync } from 'node:fs'
import { dirname, basename } from 'node:path'

/** Editors write in several steps, and a ConfigMap swaps several links. */
const QUIET_MS = 300

export interface Watched {
  /** With everything below them. */
  folders: string[]
  /** Single files; also folders of which only the files directly in them count. */
  files: string[]
}

export class Watcher {
  readonly #onChange: () => void
  #watchers: FSWatcher[] = []
  #watched = ''
  #timer: NodeJS.Timeout | null = null

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** Watches these from now on. */
  async set(watched: Watched): Promise<void> {
    const key = JSON.stringify(watched)
    if (key === this.#watched) return
    this.#watched = key
    const old = this.#watchers
    // Parents instead of files: a file that is replaced by a rename, or behind a link that is swapped, is seen too.
    // And the path itself where it is a folder, whose files its parent says nothing about.
    const parents = [...new Set(watched.files.flatMap(path => (isFolder(path) ? [dirname(path), path] : [dirname(path)])))]
    this.#watchers = [
      ...(watched.folders.length > 0 ? [watch(watched.folders, { ignoreInitial: true, ignored: isIgnored })] : []),
      // Without a path chokidar would never say that it is ready.
      ...(parents.length > 0 ? [watch(parents, { ignoreInitial: true, depth: 0 })] : []),
    ]
    for (const watcher of this.#watchers) watcher.on('all', () => this.#changed()).on('error', () => {})
    await Promise.all([...this.#watchers.map(watcher => new Promise<void>(resolve => watcher.once('ready', resolve))), ...old.map(watcher => watcher.close())])
  }

  #changed(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onChange, QUIET_MS)
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    await Promise.all(this.#watchers.map(watcher => watcher.close()))
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function isIgnored(path: string): boolean {
  const name = basename(path)
  return name === 'node_modules' || (name.startsWith('.') && name !== '.')
}
