/** What a reload did, and what was left out because it is wrong. */

/** Something that was left out because it is wrong. */
export interface LoadError {
  file: string | null
  /** Place in the file as a path: `orders.items[0].sizes[1]`. */
  at: string | null
  message: string
  /** From 1; null when it is not known. */
  line: number | null
  /** From 1. */
  column?: number
  /** What to do about it, as an imperative: `write a number, without quotes`. */
  remedy?: string
}

/** A load error as a plugin reports it: without `file` it is about the plugin's section of `svc.yaml`. */
export type ReportedError = Pick<LoadError, 'at' | 'message' | 'remedy'> & { file?: string; line?: number | null }

export interface ReloadResult {
  applied: boolean
  changed: boolean
  generation: number
  plugins: { added: string[]; reloaded: string[]; removed: string[]; failed: string[] }
  load_errors: LoadError[]
  took_ms: number
}
