/** A provider as it is served: a format, under its own name or one of svc.yaml, with all that goes with the name. */
import type { CredentialDemand } from '../exchange/credentials.ts'
import type { CompiledRule } from '../engine/rules.ts'
import type { FaultWish } from '../exchange/faults.ts'
import type { Mode, ModelInfo } from '../neutral.ts'
import { modeOfModel } from '../engine/model-mode.ts'
import type { Latency } from '../streaming/pace.ts'
import type { LlmProvider } from '../provider.ts'

export interface ProviderInstance {
  /** In paths, records, labels and `X-Svc-Provider`. */
  name: string
  title: string
  basePath: string
  format: LlmProvider
  models: ModelInfo[]
  /** The model of requests that name none; absent: the format's own. */
  defaultModel?: string
  /** Unknown models are refused. */
  strictModels: boolean
  mode?: Mode
  reply?: string
  rules: readonly CompiledRule[]
  latency: Latency
  fail: FaultWish | null
  demand: CredentialDemand
  isNamed: boolean
}

/** The model of that id: a listed one, or one that exists by its name (`svc...`, a mode in it, the format's own rule). */
export function findModel(instance: ProviderInstance, id: string): ModelInfo | undefined {
  const listed = instance.models.find(model => model.id === id)
  if (listed !== undefined || instance.strictModels) return listed
  const exists = id.startsWith('svc') || modeOfModel(id) !== undefined || instance.format.knowsModel?.(id) === true
  return exists ? { id } : undefined
}
