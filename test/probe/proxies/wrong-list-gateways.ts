/** Gateways of lists of tools with one fault each. */
import type { ListFault } from './mcp-list-gateway.ts'

export interface WrongListGateway {
  name: string
  fault: ListFault
  caught: Readonly<Record<string, string>>
  /** Default: all that are about lists. */
  checks?: readonly string[]
}

export const LIST_GATEWAYS: readonly WrongListGateway[] = [
  { name: 'keeps lists forever', fault: { ignoresTime: true }, caught: { 'MCP-CACHE': 'fail' } },
  { name: 'keeps private lists for everybody', fault: { ignoresScope: true }, caught: { 'MCP-CACHE': 'fail' } },
  { name: 'keeps lists that must not be kept', fault: { keepsAtZero: true }, caught: { 'MCP-CACHE': 'fail' } },
  {
    name: 'keeps lists that do not say how long',
    fault: { keepsWithoutTime: true },
    caught: { 'MCP-CHANGED': 'fail' },
  },
  { name: 'shows tools that it hides', fault: { hidden: [] }, caught: { 'MCP-FILTER': 'fail' } },
  { name: 'hides tools only in lists', fault: { hidesOnlyInLists: true }, caught: { 'MCP-FILTER': 'fail' } },
  { name: 'hides one spelling of a tool', fault: { comparesExactly: true }, caught: { 'MCP-FILTER': 'fail' } },
]
