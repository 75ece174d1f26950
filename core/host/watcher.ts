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
  /** By what each watches: paths that stay are not looked through again. */
  readonly #watchers = new Map<string, { watcher: FSWatcher; ready: Promise<void> }>()
  #timer: NodeJS.Timeout | null = null

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** Watches these from now on, and no others; resolves when every change will be seen. */
  async set({ folders, files }: Watched): Promise<void> {
    // Parents instead of files: a file that is replaced by a rename, or behind a link that is swapped, is seen too.
    // And the path itself where it is a folder, whose files its parent says nothing about.
    const parents = files.flatMap(path => (isFolder(path) ? [dirname(path), path] : [dirname(path)]))
    const wanted = new Map<string, () => FSWatcher>([
      ...folders.map(path => [`${path}/**`, () => watch(path, { ignoreInitial: true, ignored: isIgnored })] as const),
      ...parents.map(path => [`${path}/*`, () => watch(path, { ignoreInitial: true, depth: 0 })] as const),
    ])
    const closing: Promise<void>[] = []
    for (const [key, { watcher }] of this.#watchers) {
      if (wanted.has(key)) continue
      this.#watchers.delete(key)
      closing.push(watcher.close())
    }
    for (const [key, open] of wanted) if (!this.#watchers.has(key)) this.#watchers.set(key, this.#start(open()))
    await Promise.all([...closing, ...[...this.#watchers.values()].map(({ ready }) => ready)])
  }

  #start(watcher: FSWatcher): { watcher: FSWatcher; ready: Promise<void> } {
    watcher.on('all', () => this.#changed()).on('error', () => {})
    return { watcher, ready: new Promise(resolve => watcher.once('ready', resolve)) }
  }

  #changed(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onChange, QUIET_MS)
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    await Promise.all([...this.#watchers.values()].map(({ watcher }) => watcher.close()))
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function isIgnored(path: string): boolean {
  const name = basename(path)
  return name === 'node_modules' || (name.startsWith('.') && name !== '.')
}
