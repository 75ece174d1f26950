/** Ids of credentials: the same for the same credential on every replica, without revealing it. */
import { createHmac } from 'node:crypto'
import { BoundedMap, type Svc } from 'svc/plugin'
import type { Credential } from '../exchange/credentials.ts'

const DIGITS = 12
/** Longer credentials are not kept in memory. */
const MAX_REMEMBERED = 256

export class KeyIds {
  readonly #readSecret: () => Promise<Buffer>
  /** In memory, since the calculation takes measurable time. */
  readonly #known = new BoundedMap<string>(1000)
  #secret: Buffer | undefined

  constructor(svc: Svc<unknown>) {
    this.#readSecret = () => svc.secret('keys')
  }

  /** `none` without a credential. */
  async of(credential: Credential | null): Promise<string> {
    if (credential === null) return 'none'
    const text = `${credential.source}\0${credential.value}`
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const secret = (this.#secret ??= await this.#readSecret())
    const id = createHmac('sha256', secret).update(text).digest('hex').slice(0, DIGITS)
    if (text.length <= MAX_REMEMBERED) this.#known.set(text, id)
    return id
  }
}
