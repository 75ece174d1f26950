/** Whose records: those of a provider, and in public mode only those of the session. */
export interface Owner {
  provider: string
  session: string
}
