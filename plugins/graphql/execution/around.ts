/** Runs what a graph wants to run around its operations. */
import {
  getDirectiveValues,
  getOperationAST,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  print,
  valueFromASTUntyped,
  type ExecutionArgs,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql'
import { complexityOf } from '../query-cost.ts'
import type { GraphOperation, RootField } from '../types.ts'
import type { Executed } from './execute.ts'
import type { Run } from './run.ts'

/** Executes an operation, within `around` of its graph. */
export function around(
  args: ExecutionArgs,
  run: Run,
  execute: (args: ExecutionArgs, run: Run) => Promise<Executed> | Executed,
): Promise<Executed> | Executed {
  if (run.around === undefined) return execute(args, run)
  const definition = getOperationAST(args.document, args.operationName)
  if (definition == null) return execute(args, run)
  return run.around(operationOf(args, definition, run), async () => execute(args, run))
}

function operationOf(args: ExecutionArgs, definition: OperationDefinitionNode, run: Run): GraphOperation {
  const variables = { ...args.variableValues }
  return {
    definition,
    fields: rootFields(args, definition, variables),
    complexity: () => complexityOf(args.document, definition),
    document: () => print(args.document),
    variables,
    context: run.context,
    request: run.request,
    response: run.response,
  }
}

/** Those that are executed, one for each response name. */
function rootFields(
  { document }: ExecutionArgs,
  { selectionSet, variableDefinitions = [] }: OperationDefinitionNode,
  sent: Record<string, unknown>,
): RootField[] {
  const fields = new Map<string, RootField>()
  const variables: Record<string, unknown> = { ...sent }
  for (const { variable, defaultValue } of variableDefinitions)
    if (!(variable.name.value in variables) && defaultValue !== undefined)
      variables[variable.name.value] = valueFromASTUntyped(defaultValue)
  const fragments = new Map(
    document.definitions
      .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
      .map(node => [node.name.value, node]),
  )
  const seen = new Set<string>()
  const collect = (selections: readonly SelectionNode[]): void => {
    for (const selection of selections) {
      if (!isIncluded(selection, variables)) continue
      if (selection.kind === Kind.FIELD) {
        const { name, alias, arguments: list = [] } = selection
        const key = (alias ?? name).value
        if (fields.has(key)) continue
        const values = list.map(({ name: argument, value }) => [argument.value, valueFromASTUntyped(value, variables)])
        fields.set(key, { name: name.value, arguments: Object.fromEntries(values) as Record<string, unknown> })
      } else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet.selections)
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value)
        collect(fragments.get(selection.name.value)?.selectionSet.selections ?? [])
      }
    }
  }
  collect(selectionSet.selections)
  return [...fields.values()]
}

function isIncluded(selection: SelectionNode, variables: Record<string, unknown>): boolean {
  return (
    getDirectiveValues(GraphQLSkipDirective, selection, variables)?.if !== true &&
    getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.if !== false
  )
}
