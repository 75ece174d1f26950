/** Tools of the Messages API. Those that the vendor defines have a type, and are not judged. */
import { isRecord } from 'svc/toolkit'
import type { CheckedRequest, Report } from '../../llm/types.ts'
import { TOOL_MEMBERS } from './known-names.ts'
import { checkMembers, type Body } from './members.ts'

const NAME = /^[a-zA-Z0-9_-]{1,128}$/
const MAX_TESTED = 256

export function checkTools(request: CheckedRequest, report: Report): void {
  const { tools } = request.body
  if (!Array.isArray(tools)) return
  const names = new Set<unknown>()
  tools.forEach((tool: unknown, index) => {
    if (!isRecord(tool)) return
    if (typeof tool.name === 'string') {
      if (names.has(tool.name)) report('anthropic.tool-duplicate', `tools.${index}`)
      names.add(tool.name)
    }
    if (tool.type !== undefined && tool.type !== null && tool.type !== 'custom') return
    const path = `tools.${index}.custom`
    checkMembers(tool, TOOL_MEMBERS, path, request, report)
    if (typeof tool.name === 'string' && (tool.name.length > MAX_TESTED || !NAME.test(tool.name)))
      report('anthropic.tool-name', `${path}.name`)
    checkSchema(tool, path, report)
  })
}

function checkSchema({ input_schema: schema }: Body, path: string, report: Report): void {
  const at = `${path}.input_schema`
  if (!isRecord(schema)) return schema === undefined ? report('anthropic.tool-schema', at) : undefined
  if (schema.type === undefined) report('anthropic.tool-schema', `${at}.type`)
  if (['oneOf', 'allOf', 'anyOf'].some(name => schema[name] !== undefined))
    report('anthropic.tool-schema', at, { form: 'combined' })
}
