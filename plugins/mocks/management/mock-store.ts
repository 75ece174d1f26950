/**
 * The stored mocks: records by name, and documents by their SHA-256. Every write ends when all replicas have compiled the
 * result; a replica that missed the message follows the store.
 */
import type { Store } from 'svc/plugin'
import type { CheckOutput } from '../check/check.ts'
import { managementError } from '../errors.ts'
import { compile, recompile, type CompiledLive } from './live.ts'
import {
  documentMemory,
  documentsOf,
  firstRecord,
  Mock,
  partMemory,
  referenceTo,
  versionOf,
  withVersion,
  type Deployable,
  type DocumentReference,
  type MockRecord,
  type Version,
} from './mock.ts'
import { exceededLimit, tooLarge, tooManyMocks } from './mock-limits.ts'
import type { MockFiles, Registry, Upload } from './registry.ts'

export interface MockStoreParts {
  records: Store<MockRecord>
  documents: Store<string>
  registry: Registry
  /** Resolves when all other replicas serve what is stored under the name. */
  announce(name: string): Promise<void>
  /** Deletes the captured requests and counts of a mock that was replaced. */
  clearTraffic(name: string): Promise<void>
  /** Deletes everything that belongs to a mock that no longer exists. */
  forget(name: string): Promise<void>
}

interface StoredDocument {
  sha256: string
  text: string
}

/** Writes are checked against all mocks, so they run one after the other. */
const ALL = ''

export class MockStore {
  readonly #parts: MockStoreParts

  constructor(parts: MockStoreParts) {
    this.#parts = parts
  }

  record(name: string): Promise<MockRecord | undefined> {
    return this.#parts.records.peek(name)
  }

  /** The text of a document. Throws `unknown_version`. */
  async text(sha256: string): Promise<string> {
    const text = await this.#parts.documents.peek(sha256)
    if (text === undefined) throw managementError('unknown_version', 'the document of this version is no longer stored')
    return text
  }

  /** Checks a definition, and compares it with the mock named `against` (or null). */
  async check(upload: Upload, against: string | null): Promise<CheckOutput> {
    const current = against === null ? undefined : this.#parts.registry.get(against)?.current
    const compared = current ? { version: current.version, text: await this.text(current.sha256) } : null
    return this.#parts.registry.check(upload, compared)
  }

  /** Creates a mock from a checked definition, or replaces one from files. Throws `name_taken`, `too_many_mocks`, `too_large`. */
  create(
    identity: Pick<MockRecord, 'source' | 'enabled'> & { name: string; files: MockFiles | null },
    first: Deployable,
  ): Promise<Mock> {
    const { name, files } = identity
    const { registry, records, clearTraffic } = this.#parts
    return registry.inOrder(ALL, async () => {
      await this.#refuseTooMany(name)
      const live = await this.#prepare(first, name)
      const version = versionOf(first, live)
      const record = firstRecord({ ...identity, digest: files?.digest ?? null }, version)
      return this.#withDocument({ sha256: version.sha256, text: first.text, live }, async document => {
        if (files === null) {
          if (!(await records.add(name, record)))
            throw managementError('name_taken', `the mock "${name}" already exists; use PUT to replace it`, { name })
        } else {
          if (registry.get(name) !== undefined) await clearTraffic(name)
          registry.files.set(name, files)
          await records.set(name, record)
        }
        await this.#refuseSurplus(name)
        return this.#apply(name, record, document)
      })
    })
  }

  /** Deploys a checked definition. `change` is applied to the record first. Throws `too_large`, and what `change` throws. */
  deploy(
    name: string,
    next: Deployable,
    change: (record: MockRecord) => MockRecord,
    files: MockFiles | null = null,
  ): Promise<Mock> {
    const { registry } = this.#parts
    return registry.inOrder(ALL, async () => {
      const live = await this.#prepare(next, null)
      const version = versionOf(next, live)
      return this.#withDocument({ sha256: version.sha256, text: next.text, live }, async document => {
        const written = await this.#write(name, record => withVersion(change(record), version, registry.options))
        if (files !== null) registry.files.set(name, files)
        return this.#apply(name, written, document)
      })
    })
  }

  /** Serves a mock from files whose record is stored already: another replica, or an earlier generation, has deployed it. */
  adopt(name: string, stored: MockRecord, files: MockFiles, entry: Deployable): Promise<Mock> {
    const { registry } = this.#parts
    return registry.inOrder(ALL, async () => {
      const live = await this.#prepare(entry, name)
      registry.files.set(name, files)
      return this.#withDocument({ sha256: versionOf(entry, live).sha256, text: entry.text, live }, document =>
        this.#apply(name, stored, document),
      )
    })
  }

  /** Edits a mock. `change` may run more than once. Throws `unknown_mock`, `too_large`, and what `change` throws. */
  async edit(name: string, change: (record: MockRecord) => MockRecord): Promise<Mock> {
    return this.#apply(name, await this.#writeSmall(name, change), null)
  }

  /** Stores the document of a draft; `change` adds the draft to the record. Throws as `edit` does. */
  saveDraft(name: string, { sha256, text }: StoredDocument, change: (record: MockRecord) => MockRecord): Promise<Mock> {
    return this.#parts.registry.inOrder(ALL, async () => {
      await this.#makeRoom(text, 0, null)
      return this.#withDocument({ sha256, text }, async document =>
        this.#apply(name, await this.#writeSmall(name, change), document),
      )
    })
  }

  /** Deletes a mock. `check` throws if it must stay. */
  async remove(name: string, check: (record: MockRecord) => void = () => {}): Promise<void> {
    const { records, registry, announce, forget } = this.#parts
    const before = registry.get(name)?.record
    await records.update(name, record => {
      check(this.#own(name, record))
      return undefined
    })
    registry.drop(name)
    await forget(name)
    await announce(name)
    if (before !== undefined) await this.#deleteUnused([...documentsOf(before).keys()])
  }

  /** Removes a mock whose files are gone. */
  async removeFiles(name: string): Promise<void> {
    const { registry, forget } = this.#parts
    const stored = await this.record(name)
    if (stored !== undefined && stored.digest === registry.files.get(name)?.digest) return this.remove(name)
    registry.drop(name)
    await forget(name)
  }

  /** Makes this process serve what is stored under a name. */
  refresh(name: string): Promise<void> {
    const { registry, records } = this.#parts
    return registry.inOrder(`refresh ${name}`, async () => {
      const record = await records.peek(name)
      const files = registry.files.get(name)
      if (record === undefined) {
        // Files of this process define the mock, whatever another replica has removed.
        if (files === undefined) registry.drop(name)
        return
      }
      const isOwn = record.source === 'api' ? files === undefined : files?.digest === record.digest
      if (isOwn) registry.put(await this.#load(name, record))
    })
  }

  /**
   * Stores the uploaded mocks of this process again that a store has lost. Older versions and drafts are lost with it, unless
   * their documents are stored; a mock that another replica has stored again stays as it is.
   */
  async restore(): Promise<void> {
    const { registry } = this.#parts
    for (const mock of registry.list())
      if (!mock.isManaged) await registry.inOrder(`refresh ${mock.name}`, () => this.#restoreOne(mock))
  }

  async #restoreOne({ name, record, live }: Mock): Promise<void> {
    const { records, documents } = this.#parts
    const current = record.versions.at(-1)
    if (current === undefined || (await records.peek(name)) !== undefined) return
    const isStored = async ({ sha256 }: DocumentReference): Promise<boolean> =>
      (await documents.peek(sha256)) !== undefined
    const kept: Version[] = []
    for (const version of record.versions.slice(0, -1)) if (await isStored(version)) kept.push(version)
    const draft = record.draft !== null && (await isStored(record.draft)) ? record.draft : null
    let reference: DocumentReference = current
    if (!(await isStored(current))) {
      // The text is lost, the parsed document is not.
      const text = live.kind === 'graphql' ? live.graph.source.sdl : JSON.stringify(live.api.document.root)
      reference = referenceTo(text, { kind: live.kind, format: live.kind === 'graphql' ? 'graphql' : 'json' })
      await documents.add(reference.sha256, text)
    }
    await records.add(name, { ...record, draft, versions: [...kept, { ...current, ...reference }] })
  }

  /** The names of all mocks that are stored or served. */
  async names(): Promise<string[]> {
    const { registry, records } = this.#parts
    return [...new Set([...registry.names(), ...(await records.list()).map(({ key }) => key)])]
  }

  /** Drops old versions until a document and `parsed` bytes of memory fit the limits. Throws `too_large`. */
  async #makeRoom(text: string, parsed: number, replaced: string | null): Promise<void> {
    const { registry } = this.#parts
    for (;;) {
      const kept = registry.list().filter(mock => mock.name !== replaced)
      const exceeded = exceededLimit(kept, { text, parsed }, registry.options.bounds)
      if (exceeded === null) return
      const oldest = kept
        .filter(mock => mock.versions.length > 1)
        .sort((a, b) => ((a.versions[0]?.deployedAt ?? '') < (b.versions[0]?.deployedAt ?? '') ? -1 : 1))[0]
      if (oldest === undefined) throw tooLarge(exceeded)
      await this.#dropOldestVersion(oldest.name)
    }
  }

  // ------------------------------------------------------------------------------------------------------------ writing

  #write(name: string, change: (record: MockRecord) => MockRecord): Promise<MockRecord> {
    return this.#parts.records.update(name, record => change(this.#own(name, record))) as Promise<MockRecord>
  }

  /** The stored record, if it is about the same files; otherwise what this process serves. Throws `unknown_mock`. */
  #own(name: string, stored: MockRecord | undefined): MockRecord {
    const { registry } = this.#parts
    const files = registry.files.get(name)
    if (stored !== undefined && (files === undefined || files.digest === stored.digest)) return stored
    const served = registry.get(name)
    if (served?.isManaged === true) return served.record
    throw unknownMock(name, registry.names())
  }

  /** Like `#write`, for changes that need no old versions to be dropped. */
  #writeSmall(name: string, change: (record: MockRecord) => MockRecord): Promise<MockRecord> {
    return this.#write(name, record => {
      const next = change(record)
      this.#refuseTooLarge(name, next)
      return next
    })
  }

  /** Stores a document for a record that `write` writes. If that fails, the document is deleted again. */
  async #withDocument<T>(
    { sha256, text, live }: StoredDocument & { live?: CompiledLive },
    write: (document: StoredDocument) => Promise<T>,
  ): Promise<T> {
    const { registry, documents } = this.#parts
    await documents.add(sha256, text)
    try {
      const document = { sha256, text }
      return await (live === undefined ? write(document) : registry.withCompiled(sha256, live, () => write(document)))
    } catch (error) {
      await this.#deleteUnused([sha256])
      throw error
    }
  }

  /** Serves a record that was written, and announces it. `document` is what the record adds. */
  async #apply(name: string, written: MockRecord, document: StoredDocument | null): Promise<Mock> {
    const { registry, announce, documents } = this.#parts
    // Again: a replica that found no record with this document may have deleted it.
    if (document !== null) await documents.add(document.sha256, document.text)
    const before = registry.get(name)?.record
    const mock = await this.#load(name, written)
    await this.refresh(name)
    await announce(name)
    if (before !== undefined) {
      const used = documentsOf(written)
      await this.#deleteUnused([...documentsOf(before).keys()].filter(sha256 => !used.has(sha256)))
    }
    return mock
  }

  /** The mock of a record. Compiles its document if this process has not yet done so. */
  async #load(name: string, record: MockRecord): Promise<Mock> {
    const { registry } = this.#parts
    const identity = { name, file: registry.files.get(name)?.file ?? null }
    const present = registry.get(name)
    const sha256 = record.versions.at(-1)?.sha256 ?? ''
    const compiled = registry.compiled(name, sha256) ?? (await this.#compileStored(sha256, record))
    const isCurrent = present?.live === compiled && present.revision === record.revision
    return new Mock(identity, record, isCurrent ? compiled : recompile(compiled, record.parts, registry.options))
  }

  async #compileStored(sha256: string, { parts }: MockRecord): Promise<CompiledLive> {
    const { registry } = this.#parts
    const { report, kind, served } = await registry.check(
      { text: await this.text(sha256), given: parts, message: null },
      null,
      {
        isBrief: true,
      },
    )
    if (served === null || report.errors.length > 0) throw new Error(report.errors[0]?.message ?? 'invalid definition')
    return compile({ kind, served, given: parts }, registry.options)
  }

  async #dropOldestVersion(name: string): Promise<void> {
    const written = await this.#write(name, record =>
      record.versions.length < 2 ? record : { ...record, versions: record.versions.slice(1) },
    )
    await this.#apply(name, written, null)
  }

  /** Compiles a definition and drops old versions if memory runs short. Requests in flight keep their version. */
  async #prepare(next: Deployable, replaced: string | null): Promise<CompiledLive> {
    await this.#makeRoom(next.text, 0, replaced)
    const live = compile(next, this.#parts.registry.options)
    await this.#makeRoom(next.text, live.bytes, replaced)
    return live
  }

  /** Deletes documents that no record references. */
  async #deleteUnused(candidates: string[]): Promise<void> {
    if (candidates.length === 0) return
    const { records, documents, registry } = this.#parts
    const used = new Set<string>()
    const stored = (await records.list()).map(({ value }) => value)
    for (const record of [...stored, ...registry.list().map(mock => mock.record)])
      for (const sha256 of documentsOf(record).keys()) used.add(sha256)
    for (const sha256 of candidates) if (!used.has(sha256)) await documents.delete(sha256)
  }

  // ------------------------------------------------------------------------------------------------------------- limits

  async #refuseTooMany(name: string): Promise<void> {
    const { records, registry } = this.#parts
    if (registry.get(name) !== undefined || (await records.peek(name)) !== undefined) return
    if ((await records.count()) >= registry.options.bounds.mocks) throw tooManyMocks(registry.options.bounds.mocks)
  }

  /** Two replicas may have added the last mock at the same time. */
  async #refuseSurplus(name: string): Promise<void> {
    const { records, registry } = this.#parts
    const { mocks } = registry.options.bounds
    if ((await records.count()) <= mocks) return
    const place = (await records.list()).findIndex(({ key }) => key === name)
    if (place < mocks) return
    await records.delete(name)
    registry.drop(name)
    throw tooManyMocks(mocks)
  }

  #refuseTooLarge(name: string, next: MockRecord): void {
    const { registry } = this.#parts
    const { totalDocumentMemory } = registry.options.bounds
    let bytes = partMemory(next)
    for (const mock of registry.list())
      bytes += mock.name === name ? documentMemory(mock) - partMemory(mock.record) : documentMemory(mock)
    if (bytes > totalDocumentMemory) throw tooLarge({ limit: totalDocumentMemory, unit: 'bytes of memory' })
  }
}

export function unknownMock(name: string, mocks: string[]): Error {
  return managementError('unknown_mock', `there is no mock "${name.slice(0, 80)}"`, { name: name.slice(0, 80), mocks })
}
