/** An event log for tests that enforces the rules of shared stores (`strictState`). */
import type { EventLog, LoggedEvent, StreamInfo } from '../contract/plugin.ts'
import { copyJson } from './json-values.ts'

/** Checks and copies values when they are appended, read and followed. */
export class StrictEventLog<T> implements EventLog<T> {
  readonly #log: EventLog<T>
  readonly #what: string

  /** `what` is the beginning of TypeError messages. */
  constructor(log: EventLog<T>, what: string) {
    this.#log = log
    this.#what = what
  }

  async append(stream: string, value: T): Promise<number | undefined> {
    return this.#log.append(stream, this.#copy(value))
  }

  async newest(stream: string, limit: number, where?: (value: T) => boolean): Promise<LoggedEvent<T>[]> {
    return this.#copies(await this.#log.newest(stream, limit, where))
  }

  async after(stream: string, seq: number, limit?: number): Promise<LoggedEvent<T>[]> {
    return this.#copies(await this.#log.after(stream, seq, limit))
  }

  async find(stream: string, where: (value: T) => boolean): Promise<LoggedEvent<T> | undefined> {
    const found = await this.#log.find(stream, where)
    return found && { seq: found.seq, value: this.#copy(found.value) }
  }

  info(stream: string): Promise<StreamInfo> {
    return this.#log.info(stream)
  }

  bytes(): Promise<number> {
    return this.#log.bytes()
  }

  clear(stream: string, where?: (value: T) => boolean): Promise<number> {
    return this.#log.clear(stream, where)
  }

  follow(stream: string, after: number | null, on: (seq: number, value: T) => void, ended: () => void): () => void {
    return this.#log.follow(stream, after, (seq, value) => on(seq, this.#copy(value)), ended)
  }

  #copies(found: LoggedEvent<T>[]): LoggedEvent<T>[] {
    return found.map(({ seq, value }) => ({ seq, value: this.#copy(value) }))
  }

  #copy(value: T): T {
    return copyJson(value, this.#what)
  }
}
