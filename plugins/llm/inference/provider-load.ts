/** The load of a provider, as an inference engine reports it. */
export interface ProviderLoad {
  /** Generations. */
  running: number
  waiting: number
  /** Share of the KV cache that running generations use, or the stated one; 1 is all. */
  kvCacheUsage: number
}
