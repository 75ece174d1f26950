/** What plans and judges know of a run. */
import type { Check, Facts, ModelSettings } from '../catalog/check.ts'
import type { BackChannel } from './back-channel.ts'
import type { RunOptions } from './probe-run.ts'
import type { Routes } from './routes.ts'

/** Where the routes name none. */
const REALTIME_MODEL = 'gpt-realtime'

/** Before anything is sent. */
export function initialFacts({ gateway, route, channels, routes, ...options }: RunOptions): Facts {
  const { hasCredentials, timeoutMs, isSlow } = options
  return {
    gateway: {
      origin: `${gateway.isTls ? 'https' : 'http'}://${route.authority}`,
      authority: route.authority,
      host: gateway.host,
    },
    directOrigin: `${channels[0]!.address.isTls ? 'https' : 'http'}://${route.authority}`,
    arrivedOrigin: null,
    mcp: null,
    graph: null,
    graphs: routes.graphs,
    upstreamOrigins: channels.map(({ address }) => `http://${address.authority}`),
    reuses: null,
    viaPseudonym: null,
    hasCredentials,
    hasOwnLlmCredential: routes.ownLlmCredential,
    asksForCertificates: routes.asksForCertificates,
    mcpToken: routes.mcpToken,
    hiddenTools: routes.hiddenTools,
    realtimeModel: routes.realtimeModel ?? routes.model ?? REALTIME_MODEL,
    routes: new Set([
      ...Object.keys(routes.paths),
      ...(routes.mcpToken === null ? [] : ['mcp.token']),
      ...(routes.hiddenTools.length === 0 ? [] : ['mcp.hidden']),
    ]),
    tokens: {},
    pairs: [],
    models: modelSettingsOf(routes),
    timeoutMs,
    isSlow,
    protocol: '1.1',
    clientProtocols: ['1.1'],
  }
}

export function modelSettingsOf({ llm, guardrails }: Routes): ModelSettings {
  const { fallback, replicas, cost, spend, cache, marks, embeddings, tenants } = llm
  return { guardrails, fallback, replicas, cost, spend, cache, marks, embeddings, tenants: tenants.length }
}

/** Of a direct run in which the upstream has the name of the gateway. */
export function underGatewayName(facts: Facts): Facts {
  return { ...facts, gateway: { ...facts.gateway, origin: facts.directOrigin } }
}

/** With the tokens that a check needs. */
export async function factsOf({ when }: Check, facts: Facts, channel: BackChannel): Promise<Facts> {
  return when?.tokens === undefined ? facts : { ...facts, tokens: await channel.tokens(when.tokens) }
}

/** Also with `before`, a valid token of the key that signed so far. */
export async function factsAfterRotation(check: Check, facts: Facts, channel: BackChannel): Promise<Facts> {
  const { valid = '' } = await channel.tokens(['valid'])
  await channel.rotateKeys()
  const rotated = await factsOf(check, facts, channel)
  return { ...rotated, tokens: { ...rotated.tokens, before: valid } }
}
