/** The inspector: what was captured of recent requests. */
import type { Config } from '../config/variables.ts'
import type { SvcInspector } from '../host/plugin.ts'

export interface Inspector extends SvcInspector {
  counters(): { stored: number; capacity: number; total_captured: number }
}

export function createInspector(config: Config): Inspector {
  return {
    entry: () => undefined,
    redactHeaders: headers => headers,
    redactUrl: url => url,
    counters: () => ({ stored: 0, capacity: config.inspectorCapacity, total_captured: 0 }),
  }
}
