/** Watches the files that a reload would read. The host decides by their content whether anything has changed. */
import { watch, type FSWatcher } from 'chokidar'
import { statSync } from 'node:fs'
import { dirname, basename } from 'node:path'

/** Time without changes before a reload: editors write in several steps, and a ConfigMap swaps several links. */
const DEBOUNCE_MS = 300

/** Levels of folders that are watched. */
const MAX_DEPTH = 20

export interface Watched {
  /** Folders, with everything below them. */
  folders: string[]
  /** Single files, and further folders with everything below them. */
  files: string[]
}

export class Watcher {
  readonly #onChange: () => void
  /** Watchers by path, so that unchanged paths are not scanned again. */
  readonly #watchers = new Map<string, { watcher: FSWatcher; ready: Promise<void> }>()
  #timer: NodeJS.Timeout | null = null

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** Replaces the watched paths. Resolves when all watchers are ready. */
  async set({ folders, files }: Watched): Promise<void> {
    // Watch the parent folders, to notice files that are replaced by a rename or a swapped link. Folders are watched too,
    // because changes in them do not change their parent.
    const parents = files.map(path => dirname(path))
    const trees = [...folders, ...files.filter(isFolder)]
    const wanted = new Map<string, () => FSWatcher>([
      ...trees.map(
        path =>
          [`${path}/**`, () => watch(path, { ignoreInitial: true, ignored: isIgnored, depth: MAX_DEPTH })] as const,
      ),
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
    watcher
      .on('all', () => this.#changed())
      // Two files can have the same time: a link that now leads to the other one only shows as a replaced name.
      .on('raw', event => event === 'rename' && this.#changed())
      .on('error', () => {})
    return { watcher, ready: new Promise(resolve => watcher.once('ready', resolve)) }
  }

  #changed(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onChange, DEBOUNCE_MS)
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
