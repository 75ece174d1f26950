/** What a store holds. `/_svc/metrics` shows it for all stores, so that growth of the heap can be attributed. */
export interface MemoryUse {
  entries: number
  /** An estimate if the store has no bound in bytes. */
  bytes: number
}

/** An object of `svc.shared` that has this method is shown in `/_svc/metrics` like a store. It must be cheap. */
export interface MeasuresMemory {
  memoryUse(): MemoryUse
}

export function measuresMemory(value: unknown): value is MeasuresMemory {
  return typeof (value as Partial<MeasuresMemory> | null | undefined)?.memoryUse === 'function'
}
