/** The policies: each decides about methods before they go to the upstream, and about their results. */
import { createHash } from 'node:crypto'
import type { Json, JsonObject, Store, Svc } from 'svc/plugin'
import { copyText, firstRawHeader, isRecord, setOwn } from 'svc/toolkit'
import type { PersonalData } from '../guardrails/types.ts'
import type { McpCall, McpDecision } from './call.ts'

export interface Policy {
  name: string
  summary: string
  /** Default: the method passes. */
  request?(call: McpCall): McpDecision | Promise<McpDecision>
  /** Default: the result passes. */
  response?(call: McpCall): McpDecision | Promise<McpDecision>
}

const CALL = 'tools/call'
const LIST = 'tools/list'
const MARK = ' [extmcp]'
const FORBIDDEN = 'forbidden'
const QUOTA = 5
const QUOTA_MS = 60_000
const HOUR_MS = 3_600_000
const MAX_TOOLS = 1000
const MAX_NAME = 200

export const PASS: McpDecision = { kind: 'pass', reason: 'the policy has nothing against it' }

export const allowPolicy: Policy = { name: 'allow', summary: 'Passes everything.' }

export const denyPolicy: Policy = {
  name: 'deny',
  summary: 'Denies every method.',
  request: () => denied('always'),
}

/** As the policy server of agentgateway's tests. */
export const testboxPolicy: Policy = {
  name: 'testbox',
  summary: `Denies calls of tools whose name contains "${FORBIDDEN}", and adds "${MARK}" to the descriptions of lists of tools.`,
  request({ method, value }) {
    const tool = method === CALL ? toolName(value) : undefined
    return tool?.includes(FORBIDDEN) === true ? denied(`tool ${tool.slice(0, MAX_NAME)} is not allowed`) : PASS
  },
  response({ method, value }) {
    if (method !== LIST) return PASS
    const tools = toolsOf(value)
    if (tools.length === 0) return PASS
    return withTools(
      value,
      tools.map(tool => {
        const description = isRecord(tool) ? (tool as JsonObject).description : undefined
        return typeof description === 'string' ? { ...(tool as JsonObject), description: description + MARK } : tool
      }),
      'descriptions marked',
    )
  },
}

/** Allows tools that the last list of the same services shows as read-only. */
export function readOnlyPolicy(svc: Pick<Svc, 'state' | 'config'>): Policy {
  const { publicMode } = svc.config
  const writers = svc.state<string[]>('writing-tools', {
    maxCount: publicMode ? 100 : 1000,
    maxBytes: 4 * 1024 * 1024,
    ttlMs: HOUR_MS,
    ttlFrom: 'use',
    evict: 'idle',
  })
  const keyOf = ({ services, checked }: McpCall): string => {
    const named = services.toSorted().join('\n')
    return JSON.stringify([checked.session, createHash('sha256').update(named).digest('base64url')])
  }
  return {
    name: 'read-only',
    summary: 'Hides tools without `annotations.readOnlyHint: true` from lists, and denies calls of them.',
    async request(call) {
      const tool = call.method === CALL ? toolName(call.value) : undefined
      if (tool === undefined) return PASS
      const known = (await writers.get(keyOf(call))) ?? []
      return known.includes(tool.slice(0, MAX_NAME)) ? denied(`tool ${tool.slice(0, MAX_NAME)} is not read-only`) : PASS
    },
    async response(call) {
      if (call.method !== LIST) return PASS
      const tools = toolsOf(call.value)
      const reading = tools.filter(isReadOnly)
      const nameOf = (tool: Json): string[] => {
        const name = isRecord(tool) ? (tool as JsonObject).name : undefined
        return typeof name === 'string' ? [copyText(name.slice(0, MAX_NAME))] : []
      }
      const writing = tools.filter(tool => !isReadOnly(tool)).flatMap(nameOf)
      const shown = new Set(reading.flatMap(nameOf))
      // A list may have several pages.
      await writers.update(keyOf(call), (before = []) =>
        [...new Set([...before.filter(name => !shown.has(name)), ...writing])].slice(-MAX_TOOLS),
      )
      return writing.length === 0 && reading.length === tools.length
        ? PASS
        : withTools(call.value, reading, `${tools.length - reading.length} tools hidden`)
    },
  }
}

/** `personalData` is undefined without the plugin `guardrails`. */
export function redactPolicy(personalData: PersonalData | undefined): Policy {
  return {
    name: 'redact',
    summary: 'Redacts personal data in the texts of results.',
    response({ value }) {
      if (personalData === undefined || value === undefined) return PASS
      let count = 0
      const redacted = mapTexts(value, text => {
        const changed = personalData.redact(text)
        if (changed !== text) count++
        return changed
      })
      return count === 0 ? PASS : { kind: 'mutate', value: redacted, reason: `${count} texts redacted`, leftOut: [] }
    },
  }
}

/** Counts calls of tools by credential. */
export function quotaPolicy(svc: Pick<Svc, 'state'>): Policy {
  const counts: Store<number> = svc.state<number>('quota', { maxCount: 10_000, ttlMs: QUOTA_MS, evict: 'expiring' })
  return {
    name: 'quota',
    summary: `Allows ${QUOTA} calls of tools in 60 s for each credential.`,
    async request({ method, checked: { rawHeaders, session } }) {
      if (method !== CALL) return PASS
      const credential = firstRawHeader(rawHeaders, 'authorization') ?? ''
      const key = createHash('sha256')
        .update(JSON.stringify([session, credential]))
        .digest('base64url')
      const count = await counts.increment(key)
      return count <= QUOTA
        ? { kind: 'pass', reason: `${QUOTA - count} of ${QUOTA} calls left` }
        : { kind: 'deny', code: 'RESOURCE_EXHAUSTED', reason: `more than ${QUOTA} calls of tools in 60 s` }
    },
  }
}

function denied(reason: string): McpDecision {
  return { kind: 'deny', code: 'PERMISSION_DENIED', reason }
}

function toolName(params: Json | undefined): string | undefined {
  const name = isRecord(params) ? (params as JsonObject).name : undefined
  return typeof name === 'string' ? name : undefined
}

function toolsOf(result: Json | undefined): Json[] {
  const tools = isRecord(result) ? (result as JsonObject).tools : undefined
  return Array.isArray(tools) ? tools : []
}

function withTools(result: Json | undefined, tools: Json[], reason: string): McpDecision {
  return { kind: 'mutate', value: { ...(result as JsonObject), tools }, reason, leftOut: [] }
}

function isReadOnly(tool: Json): boolean {
  const annotations = isRecord(tool) ? (tool as JsonObject).annotations : undefined
  return isRecord(annotations) && (annotations as JsonObject).readOnlyHint === true
}

/** Numbers stay what they are, with their digits. */
function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map(item => mapTexts(item, change))
  if (!isRecord(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
  const result: JsonObject = {}
  for (const [name, member] of Object.entries(value as JsonObject)) setOwn(result, name, mapTexts(member, change))
  return result
}
