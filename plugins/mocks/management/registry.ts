/** The mocks that this process serves, in their compiled form. They survive reloads. */
import type { MeasuresMemory, MemoryUse } from 'svc/plugin'
import type { Checker } from '../check/checker.ts'
import type { CheckOutput } from '../check/check.ts'
import type { GivenParts, Limits } from '../definition/definition.ts'
import type { CompiledLive } from './live.ts'
import type { Mock } from './mock.ts'

export interface Upload {
  text: string
  given: GivenParts
  message: string | null
}

export interface RegistryOptions extends Limits {
  publicMode: boolean
  checker: Checker
}

/** The files that define a mock, as this process last read them. */
export interface MockFiles {
  /** Absolute path of the document; null if it is not in a file. */
  file: string | null
  digest: string
}

export class Registry implements MeasuresMemory {
  readonly options: RegistryOptions
  /** The files of each mock that comes from files. */
  readonly files = new Map<string, MockFiles>()
  /** Requests by mock and operation that are not counted in the store yet. */
  readonly pendingCounts = new Map<string, Map<string, number>>()
  readonly #mocks = new Map<string, Mock>()
  readonly #queues = new Map<string, Promise<unknown>>()
  /** Definitions that were compiled before their mock was stored, by the SHA-256 of the document. */
  readonly #compiled = new Map<string, CompiledLive>()
  /** The changes of the last synchronization with files. */
  lastSync: { added: string[]; updated: string[]; removed: string[]; unchanged: string[] } = {
    added: [],
    updated: [],
    removed: [],
    unchanged: [],
  }

  constructor(options: RegistryOptions) {
    this.options = options
  }

  get(name: string): Mock | undefined {
    return this.#mocks.get(name)
  }

  /** Sorted by name. */
  list(): Mock[] {
    return [...this.#mocks.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Of the compiled documents. */
  memoryUse(): MemoryUse {
    let bytes = 0
    for (const { live } of this.#mocks.values()) bytes += live.bytes
    return { entries: this.#mocks.size, bytes }
  }

  names(): string[] {
    return this.list().map(mock => mock.name)
  }

  put(mock: Mock): void {
    this.#mocks.set(mock.name, mock)
  }

  drop(name: string): void {
    this.#mocks.delete(name)
    this.files.delete(name)
  }

  /** Keeps a compiled definition while `work` runs, so that it need not be compiled again when its mock is loaded. */
  async withCompiled<T>(sha256: string, live: CompiledLive, work: () => Promise<T>): Promise<T> {
    this.#compiled.set(sha256, live)
    try {
      return await work()
    } finally {
      if (this.#compiled.get(sha256) === live) this.#compiled.delete(sha256)
    }
  }

  /** A compiled definition with this document: of the mock itself, or one kept by `withCompiled`. */
  compiled(name: string, sha256: string): CompiledLive | undefined {
    const mock = this.#mocks.get(name)
    return mock?.current?.sha256 === sha256 ? mock.live : this.#compiled.get(sha256)
  }

  /** Runs tasks for one name in sequence, so that uploads of a mock apply in the order of arrival. */
  async inOrder<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(name) ?? Promise.resolve()
    const run = before.then(work, work)
    const finished = run.then(
      () => undefined,
      () => undefined,
    )
    this.#queues.set(name, finished)
    try {
      return await run
    } finally {
      if (this.#queues.get(name) === finished) this.#queues.delete(name)
    }
  }

  /** Checks a definition, and compares it with a version (or null). A brief report has only errors. */
  check(
    upload: Upload,
    against: { version: number; text: string } | null,
    { isBrief = false } = {},
  ): Promise<CheckOutput> {
    return this.options.checker.check({
      text: upload.text,
      ...upload.given,
      against,
      publicMode: this.options.publicMode,
      maxDelayMs: this.options.maxDelayMs,
      isBrief,
    })
  }
}
