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

/** Result of a reload, as in the response of `POST /_svc/reload`. */
export interface ReloadResult {
  /** False if `svc.yaml` could not be read; the previous configuration then stays in use. */
  applied: boolean
  /** Whether a new generation was built. */
  changed: boolean
  /** Number of the running generation. */
  generation: number
  /** Names of plugins that were added, reloaded or removed, and of all plugins with an error. */
  plugins: { added: string[]; reloaded: string[]; removed: string[]; failed: string[] }
  /** All current errors in the configuration. */
  load_errors: LoadError[]
  /** Duration in milliseconds. */
  took_ms: number
  /** With a state store: the outcome of each replica, this one first. */
  replicas?: ReplicaReload[]
}

/** What a replica did when all were reloaded. */
export interface ReplicaReload {
  replica: string
  instance_id: string
  applied: boolean
  changed: boolean
  /** Null if it did not reply. */
  generation: number | null
  error: string | null
}
