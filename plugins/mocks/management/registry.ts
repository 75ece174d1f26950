/** All mocks of the instance. They survive reloads; changes of a mock run one at a time. */
import type { Checker } from '../check/checker.ts'
import type { CheckOutput } from '../check/check.ts'
import type { GivenParts, Limits } from './definition.ts'
import { managementError } from '../errors.ts'
import { heldBytes } from 'svc/plugin'
import { compile, Mock, type CompiledLive, type Deployable, type MockSource } from './mock.ts'

export interface Upload {
  text: string
  given: GivenParts
  message: string | null
}

export interface RegistryOptions extends Limits {
  publicMode: boolean
  checker: Checker
}

export class Registry {
  readonly options: RegistryOptions
  readonly #mocks = new Map<string, Mock>()
  readonly #queues = new Map<string, Promise<unknown>>()
  /** Digests of the file contents by mock, to skip unchanged files. */
  readonly digests = new Map<string, string>()
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

  get count(): number {
    return this.#mocks.size
  }

  /** Sorted by name. */
  list(): Mock[] {
    return [...this.#mocks.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  names(): string[] {
    return this.list().map(mock => mock.name)
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

  /** Checks a definition, and compares it with the mock named `against` (or null). A brief report has only errors. */
  check(upload: Upload, against: string | null, { isBrief = false } = {}): Promise<CheckOutput> {
    const current = against === null ? undefined : this.get(against)?.current
    return this.options.checker.check({
      text: upload.text,
      ...upload.given,
      against: current ? { version: current.version, text: current.text } : null,
      publicMode: this.options.publicMode,
      maxDelayMs: this.options.maxDelayMs,
      isBrief,
    })
  }

  /** Creates a mock from a checked definition. Throws `too_many_mocks` or `too_large`. */
  add(identity: { name: string; source: MockSource; file: string | null }, first: Deployable): Mock {
    const { bounds } = this.options
    if (!this.#mocks.has(identity.name) && this.#mocks.size >= bounds.mocks)
      throw managementError(
        'too_many_mocks',
        `there are already ${bounds.mocks} mocks, the maximum; delete one first`,
        { limit: bounds.mocks },
      )
    const live = this.#prepare(first, identity.name)
    const mock = new Mock(identity, first, live, this.options)
    this.#mocks.set(identity.name, mock)
    return mock
  }

  /** Deploys a checked definition. Throws `too_large`. */
  deploy(mock: Mock, next: Deployable): void {
    mock.deploy(next, this.#prepare(next, null))
  }

  /** Compiles a definition and drops old versions if memory runs short. Requests in flight keep their version. */
  #prepare(next: Deployable, replaced: string | null): CompiledLive {
    this.makeRoom(next.text, 0, replaced)
    const live = compile(next, this.options)
    this.makeRoom(next.text, live.bytes, replaced)
    return live
  }

  remove(name: string): void {
    this.#mocks.delete(name)
    this.digests.delete(name)
  }

  /** Drops old versions until the text and `parsed` bytes of memory fit the limits. Throws `too_large`. */
  makeRoom(text: string, parsed: number, replaced: string | null): void {
    const { totalDocumentBytes, totalDocumentMemory } = this.options.bounds
    const kept = this.list().filter(mock => mock.name !== replaced)
    const sumOf = (bytesOf: (mock: Mock) => number): number => kept.reduce((sum, mock) => sum + bytesOf(mock), 0)
    const memory = parsed + heldBytes(text)
    for (;;) {
      const isTextOver = sumOf(mock => mock.documentBytes()) + text.length > totalDocumentBytes
      if (!isTextOver && sumOf(mock => mock.documentMemory()) + memory <= totalDocumentMemory) return
      const oldest = kept
        .filter(mock => mock.versions.length > 1)
        .sort((a, b) => ((a.versions[0]?.deployedAt ?? '') < (b.versions[0]?.deployedAt ?? '') ? -1 : 1))[0]
      if (oldest?.dropOldestVersion()) continue
      const limit = isTextOver ? totalDocumentBytes : totalDocumentMemory
      throw managementError(
        'too_large',
        `all documents together can have at most ${limit} bytes${isTextOver ? '' : ' of memory'}; delete a mock first`,
        { limit },
      )
    }
  }
}
