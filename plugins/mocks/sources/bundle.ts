/**
 * Joins a document that consists of several files. References to other files lead to copies below `x-svc-files`, so that
 * recursive schemas stay as they are. Only for documents of the operator; those of uploads consist of one file.
 */
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, extname, isAbsolute, relative, resolve, sep } from 'node:path'
import { isRecord } from 'svc/toolkit'
import type { Bounds } from '../bounds.ts'
import { ownObject, ownText, setOwn, type Json, type JsonObject } from '../document/json.ts'
import { fragmentOf } from '../document/json-pointer.ts'
import { readDocument, readValue } from '../document/read.ts'
import { GRAPH_ENDINGS, isGraphText } from '../graph/recognize.ts'
import { eachObject, FILES } from '../document/walk.ts'

const MAX_FILES = 200
const MAX_PROBLEMS = 20

export interface BundleOptions {
  /** The folder that may be read; the one of the document if it is not below it. Absolute. */
  folder: string
  bounds: Bounds
  /** Called for each file before it is read. */
  watch(path: string): void
}

/** A document as one text, and why references to files were left as they are. */
export interface Bundle {
  /** Unchanged if the document refers to no other file. */
  text: string
  problems: string[]
}

/** Joins the document of a file with the files that it refers to. What can't be read is an external reference for the check. */
export async function bundle(file: string, text: string, options: BundleOptions): Promise<Bundle> {
  if (isGraphText(text) || GRAPH_ENDINGS.test(file)) return { text, problems: [] }
  const read = readDocument(text, options.bounds)
  // What is wrong with the document itself is reported by its check.
  if ('error' in read) return { text, problems: [] }
  const bundler = new Bundler(file, options)
  await bundler.resolve(read.value, file)
  const { problems, files, hasFiles } = bundler
  if (!hasFiles) return { text, problems }
  const copies = Object.keys(files).length > 0 ? { [FILES]: files } : {}
  return { text: JSON.stringify({ ...read.value, ...copies }), problems }
}

class BundleProblem extends Error {}

interface Known {
  /** Tokens of its copy in the document. */
  tokens: string[]
}

class Bundler {
  readonly files: JsonObject = {}
  readonly problems: string[] = []
  readonly #root: string
  readonly #options: BundleOptions
  readonly #known = new Map<string, Known>()
  #bytes = 0

  constructor(root: string, options: BundleOptions) {
    this.#root = root
    this.#options = options
  }

  get hasFiles(): boolean {
    return this.#known.size > 0
  }

  /** Changes the references of a file to those of the joined document, and reads the files that they name. */
  async resolve(root: JsonObject, file: string): Promise<void> {
    const own = this.#known.get(file)?.tokens
    const places: { object: JsonObject; key: string; target: string }[] = []
    const collect = (object: JsonObject, key: string): void => {
      const target = ownText(object, key)
      if (target !== undefined) places.push({ object, key, target })
    }
    eachObject(root, object => {
      collect(object, '$ref')
      collect(object, 'externalValue')
      const mapping = ownObject(ownObject(object, 'discriminator'), 'mapping')
      // Names of schemas can have periods, too.
      for (const name of Object.keys(mapping ?? {}))
        if (mapping && /\.(?:ya?ml|json)(?:#|$)/i.test(ownText(mapping, name) ?? '')) collect(mapping, name)
    })
    for (const { object, key, target } of places) {
      try {
        if (key === 'externalValue') await this.#inline(object, target, file)
        else object[key] = await this.#reference(target, file, own)
      } catch (error) {
        if (!(error instanceof BundleProblem)) throw error
        if (this.problems.length < MAX_PROBLEMS) this.problems.push(`external_ref: ${error.message}`)
      }
    }
  }

  async #reference(target: string, file: string, own: string[] | undefined): Promise<string> {
    if (target.startsWith('#')) return own === undefined ? target : joined(own, target.slice(1))
    // The check reports these.
    if (!isFile(target)) return target
    const [path = '', fragment = ''] = target.split(/#(.*)/s, 2)
    const other = resolve(dirname(file), decoded(path))
    if (other === this.#root) return `#${fragment}`
    const known = this.#known.get(other) ?? (await this.#load(other, target))
    return joined(known.tokens, fragment)
  }

  async #load(file: string, target: string): Promise<Known> {
    const text = await this.#read(file, target)
    const folder = relative(dirname(this.#root), dirname(file)).split(sep).join('/') || '.'
    const holder = ownObject(this.files, folder) ?? {}
    setOwn(this.files, folder, holder)
    const stem = nameOf(file)
    const name = Object.hasOwn(holder, stem) ? `${stem}${extname(file)}` : stem
    const known = { tokens: [FILES, folder, name] }
    this.#known.set(file, known)
    const value = this.#parse(text, file)
    setOwn(holder, name, value)
    if (isRecord(value)) await this.resolve(value, file)
    return known
  }

  /** Puts the content of a file in place of `externalValue`. */
  async #inline(object: JsonObject, target: string, file: string): Promise<void> {
    if (!isFile(target) || Object.hasOwn(object, 'value')) return
    const other = resolve(dirname(file), decoded(target))
    const text = await this.#read(other, target)
    const isData = /\.(?:json|ya?ml)$/i.test(other)
    object['value'] = isData ? this.#parse(text, other) : text
    delete object['externalValue']
    this.#known.set(`${other}#value`, { tokens: [] })
  }

  /** Reads a file below the folder, links resolved. */
  async #read(file: string, target: string): Promise<string> {
    const { bounds, folder, watch } = this.#options
    const shown = target.slice(0, 200)
    if (this.#known.size >= MAX_FILES) throw new BundleProblem(`the document refers to more than ${MAX_FILES} files`)
    try {
      const place = await realpath(isBelow(this.#root, folder) ? folder : dirname(this.#root))
      const real = await realpath(file)
      if (!isBelow(real, place))
        throw new BundleProblem(`"${shown}" is not below the folder of the document, and is not read`)
      watch(file)
      const facts = await stat(real)
      if (!facts.isFile()) throw new BundleProblem(`"${shown}" is not a file`)
      this.#bytes += facts.size
      if (this.#bytes > bounds.documentBytes)
        throw new BundleProblem(`the files of the document have more than ${bounds.documentBytes} bytes`)
      return await readFile(real, 'utf8')
    } catch (error) {
      if (error instanceof BundleProblem) throw error
      throw new BundleProblem(`"${shown}" can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`)
    }
  }

  #parse(text: string, file: string): Json {
    const name = relative(dirname(this.#root), file)
    const read = readValue(text, this.#options.bounds)
    if (!('error' in read)) return read.value
    const { message, line } = read.error
    throw new BundleProblem(`"${name}" can't be read: ${message}${line === undefined ? '' : ` (line ${line})`}`)
  }
}

/** Whether a reference names a file by a relative path. */
function isFile(target: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:|^\/\/|^\\/i.test(target) && !isAbsolute(target) && /[./]/.test(target)
}

function isBelow(file: string, folder: string): boolean {
  const path = relative(folder, file)
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

function nameOf(file: string): string {
  const name = file.slice(file.lastIndexOf(sep) + 1)
  return name.slice(0, name.length - extname(name).length) || name
}

/** The pointer of a fragment below the copy of a file. */
function joined(tokens: readonly string[], fragment: string): string {
  return `${fragmentOf(tokens)}${fragment === '' || fragment === '/' ? '' : fragment}`
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
