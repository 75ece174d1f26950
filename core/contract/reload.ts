/** Results of a reload, and errors in the configuration. */

/** An invalid item of a configuration file. The item is ignored. */
export interface LoadError {
  file: string | null
  /** Path of the item in the file: `orders.items[0].sizes[1]`. */
  at: string | null
  message: string
  /** Line number from 1; null if unknown. */
  line: number | null
  /** Column number from 1. */
  column?: number
  /** How to fix it, as an imperative: `write a number, without quotes`. */
  remedy?: string
}

/** A load error that a plugin reports. Without `file`, it is about the plugin's section of `svc.yaml`. */
export type ReportedError = Pick<LoadError, 'at' | 'message' | 'remedy'> & { file?: string; line?: number | null }

export interface ReloadResult {
  applied: boolean
  changed: boolean
  generation: number
  plugins: { added: string[]; reloaded: string[]; removed: string[]; failed: string[] }
  load_errors: LoadError[]
  took_ms: number
}
