/** The names of OpenTelemetry's semantic conventions for generative AI: operations and providers. */
import type { LlmProvider } from '../contract/provider.ts'
import type { ProviderRoute } from '../contract/route.ts'

/** `gen_ai.operation.name`; null: the conventions have no name for what the route does. */
export function operationOf({ operation, op }: ProviderRoute): string | null {
  if (operation !== undefined) return operation
  return op === 'chat' ? 'chat' : op === 'embed' ? 'embeddings' : null
}

/** `gen_ai.provider.name`. */
export function providerNameOf({ telemetry, id }: LlmProvider): string {
  return telemetry?.name ?? id
}
