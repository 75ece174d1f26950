/** The files with bodies of one import: what is read, and the names under which it is written. */
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { ImportFile } from '../types.ts'
import { MAX_BODIES_BYTES } from './bounds.ts'
import { readBodyFile } from './read-files.ts'

type Content = Awaited<ReturnType<typeof readBodyFile>>

export class BodyFiles {
  /** By what stubs say: any number of them can name one file. */
  readonly #read = new Map<string, Promise<Content>>()
  readonly #names = new Map<string, string>()
  readonly #used = new Map<string, number>()
  #bytes = 0

  /** A file that a stub names, or why it cannot be used. */
  read(file: ImportFile, path: string, folders: readonly string[]): Promise<Content> {
    const key = JSON.stringify([file.folder, path, folders])
    let content = this.#read.get(key)
    if (content === undefined) {
      content = this.#readNew(file, path, folders)
      this.#read.set(key, content)
    }
    return content
  }

  async #readNew(file: ImportFile, path: string, folders: readonly string[]): Promise<Content> {
    const content = await readBodyFile(file, path, folders, MAX_BODIES_BYTES - this.#bytes)
    if (Buffer.isBuffer(content)) this.#bytes += content.length
    return content
  }

  /** A path below the folder of bodies: the given one, with a number if another file has it. */
  nameOf(wanted: string, content: Buffer): string {
    const path = posix.normalize(wanted.replaceAll('\\', '/')).replace(/^(?:\.{0,2}\/)+/, '')
    const key = `${path}\n${createHash('sha256').update(content).digest('hex')}`
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const { dir, name, ext } = posix.parse(path)
    let number = this.#used.get(path) ?? 1
    let found = path
    while (this.#used.has(found)) found = posix.join(dir, `${name}-${++number}${ext}`)
    this.#used.set(path, number)
    this.#used.set(found, number)
    this.#names.set(key, found)
    return found
  }
}
