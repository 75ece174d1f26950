/** The plugin `ext-proc`: an external processor, and an endpoint picker, that gateways ask about requests and responses. */
import { definePlugin } from 'svc/plugin'
import type {} from '../gateway-services/types.ts'
import type {} from '../grpc/types.ts'
import type {} from '../guardrails/types.ts'
import type {} from '../llm/types.ts'
import { PROC_HEADER } from './fault-header.ts'
import { EXT_PROC, registerGrpc } from './grpc/service.ts'
import { PHASES } from './phase.ts'
import { endpointPicker } from './picker/endpoint-picker.ts'
import { instructions } from './processors/instructions.ts'
import type { Processor } from './processors/processor.ts'
import { promptGuard } from './processors/prompt-guard.ts'
import { modelRouter, none, redact, tag, upper } from './processors/simple.ts'
import { MUTATE } from './rules/mutate.ts'

export default definePlugin({
  title: 'External processing',
  description: 'Changes requests and responses for gateways, and picks endpoints, by processors, rules and headers.',
  paths: [],
  buildsOn: ['gateway-services', 'grpc'],
  uses: ['guardrails', 'llm'],
  register(_app, svc) {
    const services = svc.use('gateway-services.services')!
    const providers = svc.use('llm.providers')
    const processors: Processor[] = [
      none,
      tag,
      instructions,
      redact(svc.use('guardrails.personal-data')),
      promptGuard(svc, { checks: svc.use('guardrails.checks'), providers }),
      upper,
      modelRouter,
      endpointPicker(svc, { endpoints: () => services.endpoints(), providers }),
    ]
    const service = services.service({
      name: 'proc',
      grpc: EXT_PROC,
      http: null,
      header: PROC_HEADER,
      policies: processors.map(({ name }) => name),
      phases: PHASES,
      mutate: MUTATE,
    })
    registerGrpc(svc, svc.use('grpc.services')!, {
      service,
      processors,
      // Without endpoints nothing can be picked.
      readiness: {
        isServing: () => services.endpoints().length > 0,
        onChange: listener => services.onEndpoints(listener),
      },
    })
  },
})
