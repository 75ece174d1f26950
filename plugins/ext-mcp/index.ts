/** The plugin `ext-mcp`: a service that agentgateway asks about MCP methods and their results. */
import { definePlugin } from 'svc/plugin'
import type {} from '../gateway-services/types.ts'
import type {} from '../grpc/types.ts'
import type {} from '../guardrails/types.ts'
import { PHASES } from './call.ts'
import { Checker } from './checker.ts'
import { MCP_HEADER } from './fault-header.ts'
import { EXT_MCP, registerGrpc } from './grpc/service.ts'
import {
  allowPolicy,
  denyPolicy,
  type Policy,
  quotaPolicy,
  readOnlyPolicy,
  redactPolicy,
  testboxPolicy,
} from './policies.ts'
import { DECIDE, MUTATE } from './rule-steps.ts'

export default definePlugin({
  title: 'MCP policies',
  description: 'Decides about MCP methods and changes them, for agentgateway, by policies, rules and headers.',
  paths: [],
  buildsOn: ['gateway-services', 'grpc'],
  uses: ['guardrails'],
  register(_app, svc) {
    const policies: Policy[] = [
      allowPolicy,
      denyPolicy,
      testboxPolicy,
      readOnlyPolicy(svc),
      redactPolicy(svc.use('guardrails.personal-data')),
      quotaPolicy(svc),
    ]
    const service = svc.use('gateway-services.services')!.service({
      name: 'mcp',
      grpc: EXT_MCP,
      http: null,
      header: MCP_HEADER,
      policies: policies.map(({ name }) => name),
      phases: PHASES,
      decide: DECIDE,
      mutate: MUTATE,
    })
    registerGrpc(svc, svc.use('grpc.services')!, { service, checker: new Checker(svc, service, policies) })
  },
})
