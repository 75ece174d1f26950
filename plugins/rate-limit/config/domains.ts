/** All domains: those that were stored over HTTP, of a session or the instance, and those of svc.yaml and its files. */
import type { JsonObject, Store, Svc } from 'svc/plugin'
import { type MirroredStore, mirrorStore, readOrProblem } from 'svc/toolkit'
import { type Domain, readDomain } from './domain.ts'

export interface RateLimitOptions {
  files: string[]
  domains: JsonObject[]
  headers: boolean
}

/** A domain as it was stored. */
export interface StoredDomain {
  name: string
  /** Null: of the instance. */
  session: string | null
  /** JSON. */
  document: string
}

export type DomainSource = 'api' | 'settings' | 'file'

export interface ListedDomain {
  domain: Domain
  source: DomainSource
  session: string | null
  /** Path, for those of files. */
  file: string | null
}

/** Domains that can be stored over HTTP. */
export const MAX_STORED = { normal: 100, public: 20 }
export const MAX_OF_SESSION = 2
/** Bytes of JSON. */
export const MAX_DOMAIN_BYTES = 65_536
/** Domains of sessions are removed a day after they were stored. */
const SESSION_MS = 86_400_000
const INSTANCE = ''
const REMEDY = 'correct it; until then the domain is left out'

export class Domains {
  readonly #svc: Svc<RateLimitOptions>
  readonly #store: Store<StoredDomain>
  readonly #stored: MirroredStore<StoredDomain>
  readonly #configured = new Map<string, ListedDomain>()
  /** What was read of stored domains: other code may read them in another way. */
  readonly #read = new WeakMap<StoredDomain, Domain | null>()

  constructor(svc: Svc<RateLimitOptions>) {
    this.#svc = svc
    const { publicMode } = svc.config
    this.#store = svc.state<StoredDomain>('rate-limit-domains', {
      maxCount: publicMode ? MAX_STORED.public : MAX_STORED.normal,
      maxBytes: 16 * 1024 * 1024,
      evict: 'none',
      watched: true,
    })
    this.#stored = mirrorStore(svc, this.#store, handler => svc.channel('rate-limit-domains', handler))
  }

  /** Reads the domains of svc.yaml and its files, and reports what is wrong. */
  async load(): Promise<void> {
    const { options } = this.#svc
    for (const [index, value] of options.domains.entries()) {
      const at = `rate_limit.domains[${index}]`
      this.#configure(value, at, { source: 'settings', file: null }, (place, message) =>
        this.#svc.reportLoadError({ at: place, message, remedy: REMEDY }),
      )
    }
    const files = await this.#svc.use('core.documents').read({ paths: options.files, at: 'rate_limit.files' })
    for (const { path, document, lineOf } of files)
      this.#configure(document, '', { source: 'file', file: path }, (place, message) =>
        this.#svc.reportLoadError({
          file: path,
          at: place === '' ? null : place,
          line: lineOf(place),
          message,
          remedy: 'correct it; until then the file is left out',
        }),
      )
  }

  #configure(
    value: unknown,
    at: string,
    place: Pick<ListedDomain, 'source' | 'file'>,
    report: (at: string, message: string) => void,
  ): void {
    const read = readOrProblem(() => readDomain(value, at))
    if ('problem' in read) return report(read.problem.at, read.problem.details)
    const { name } = read.value
    if (this.#configured.has(name))
      return report(
        at === '' ? 'domain' : `${at}.domain`,
        `the domain ${JSON.stringify(name.slice(0, 100))} is there twice`,
      )
    this.#configured.set(name, { domain: read.value, session: null, ...place })
  }

  /** The domain that applies to the calls of a session: its own, else that of the instance. Null: it is not configured. */
  async find(name: string, session: string | null): Promise<Domain | null> {
    const own = session === null ? undefined : await this.#stored.peek(keyOf(name, session))
    const stored = own ?? (await this.#stored.peek(keyOf(name, null)))
    const read = stored === undefined ? null : this.#readStored(stored)
    return read ?? this.#configured.get(name)?.domain ?? null
  }

  /** The domains of a session and, if asked for, those of the instance. */
  async list(session: string | null, showsInstance: boolean): Promise<ListedDomain[]> {
    const stored = await this.#store.list()
    const listed = stored.flatMap(({ value }): ListedDomain[] => {
      const domain = this.#readStored(value)
      const isShown = value.session === null ? showsInstance : value.session === session
      return isShown && domain !== null ? [{ domain, source: 'api', session: value.session, file: null }] : []
    })
    return [...listed, ...(showsInstance ? this.#configured.values() : [])]
  }

  /** Stores a domain. Returns whether it is new; null if there are too many. */
  async put(name: string, session: string | null, document: string): Promise<boolean | null> {
    const key = keyOf(name, session)
    const value: StoredDomain = { name, session, document }
    const options = { group: session ?? INSTANCE, ...(session === null ? {} : { ttlMs: SESSION_MS }) }
    if ((await this.#store.peek(key)) !== undefined) {
      await this.#stored.set(key, value, options)
      return false
    }
    const isFull =
      this.#svc.config.publicMode && session !== null && (await this.#store.count({ group: session })) >= MAX_OF_SESSION
    return !isFull && (await this.#stored.add(key, value, options)) ? true : null
  }

  /** Removes a stored domain; false if there is none. */
  remove(name: string, session: string | null): Promise<boolean> {
    return this.#stored.delete(keyOf(name, session))
  }

  #readStored(stored: StoredDomain): Domain | null {
    const known = this.#read.get(stored)
    if (known !== undefined) return known
    const read = readOrProblem(() => readDomain(JSON.parse(stored.document), ''))
    const domain = 'problem' in read ? null : read.value
    this.#read.set(stored, domain)
    return domain
  }
}

function keyOf(name: string, session: string | null): string {
  return JSON.stringify([session, name])
}
