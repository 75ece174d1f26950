/** What rules can say in one generation: it depends on the enabled plugins. */
import type { ProtocolRegistry } from '../match/protocols.ts'
import type { DeclaredFaults } from './declared-faults.ts'
import type { StepRegistry } from './step-registry.ts'

export interface RuleVocabulary {
  /** The protocols with conditions. */
  readonly protocols: ProtocolRegistry
  /** Failures that plugins declare. */
  readonly faults: DeclaredFaults
  /** The steps of plugins. */
  readonly steps: StepRegistry
  /** Whether rules can act on a path: some are exempt from faults. */
  isSeen(path: string): boolean
}
