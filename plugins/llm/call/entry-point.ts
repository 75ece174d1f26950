/** How calls of a mock model come in. What differs between the ways is stated here as data, and read by the steps. */

export interface EntryPoint {
  readonly name: 'request' | 'message' | 'item' | 'generation'
  /** Whose rules act: those of requests may have answered already, those of messages may delay and abort. */
  readonly rules: 'request' | 'message' | 'item'
  /** Whether the reply is a stream: if the request asks for it, always (on a socket), or never. */
  readonly streams: 'as asked' | 'always' | 'never'
  /** The call counts in the metrics of replies. The ledger counts the others. */
  readonly isMetered: boolean
}

/** Who waits for the reply of a call. */
export interface Recipient {
  /** Waits some milliseconds. Resolves with false if nobody waits for the reply any more. */
  wait(ms: number): Promise<boolean>
  /** Nobody waits for the reply any more. */
  readonly isGone: boolean
  /** Ends a call whose reply nobody waits for. May throw, which ends it with an error. */
  leave(): void
  /** Destroys the connection: a rule asks for it. */
  abort(): void
  /** Closes the socket on which the call came, in place of a reply; absent: it did not come on one. */
  close?(code: number, reason: string): void
  /** Sends the reply. */
  deliver(): void | Promise<void>
}
