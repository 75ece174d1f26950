/** Checks a GraphQL schema before deployment: errors, warnings, and changes that affect clients. */
import { getNamedType, isInterfaceType, isObjectType, isScalarType, isSpecifiedScalarType } from 'graphql'
import { boundsFor, type GraphBounds } from '../bounds.ts'
import { issue, type Issue } from '../document/issue.ts'
import { readGraphParts, type GraphParts } from '../graph/definition.ts'
import { readSchema, type GraphSchema } from '../graph/read-schema.ts'
import { isGraphText } from '../graph/recognize.ts'
import { isKnownScalar } from '../graph/scalars.ts'
import { isList, Shapes } from '../graph/shapes.ts'
import type { CheckInput, CheckOutput } from './check.ts'
import type { Composer } from './composition.ts'
import { compareSchemas } from './graph-changes.ts'
import type { Report } from './report.ts'

const MAX_WARNINGS = 200

/** Returns a report for every input. */
export async function checkGraph(input: CheckInput, compose: Composer): Promise<CheckOutput> {
  const started = performance.now()
  const { bounds, report } = { bounds: boundsFor(input.publicMode), report: emptyReport() }
  const graph = readWithin(input.text, bounds.graph, report)
  if (graph !== null) await inspect(graph, input, report, compose)
  report.deployable = report.errors.length === 0
  report.took_ms = Math.round(performance.now() - started)
  return { report, kind: 'graphql', format: 'graphql', served: graph === null ? null : graph.sdl }
}

function emptyReport(): Report {
  return { deployable: false, against: null, errors: [], warnings: [], summary: null, changes: null, took_ms: 0 }
}

/** How many times longer than its SDL the result of an introspection query may be: that of GitHub is four times as long. */
const INTROSPECTION_FACTOR = 5

function readWithin(text: string, bounds: GraphBounds, report: Report): GraphSchema | null {
  const isJson = text.trimStart().startsWith('{')
  const tooLarge = (): null => {
    report.errors.push(issue('too_large', null, `a schema can have at most ${bounds.bytes} bytes`))
    return null
  }
  if (Buffer.byteLength(text) > bounds.bytes * (isJson ? INTROSPECTION_FACTOR : 1)) return tooLarge()
  const { graph, errors } = readSchema(text, bounds)
  if (graph === null) report.errors.push(...errors)
  return graph !== null && Buffer.byteLength(graph.sdl) > bounds.bytes ? tooLarge() : graph
}

async function inspect(graph: GraphSchema, input: CheckInput, report: Report, compose: Composer): Promise<void> {
  const bounds = boundsFor(input.publicMode)
  const shapes = new Shapes(graph)
  const types = Object.values(graph.schema.getTypeMap()).filter(({ name }) => !isAdded(name))
  report.summary = {
    kind: 'graphql',
    title: graph.schema.description?.trim().split('\n', 1)[0]?.slice(0, 200) ?? '',
    operations: shapes.operations.length,
    types: types.length,
    fields: types.reduce((sum, type) => sum + ('getFields' in type ? Object.keys(type.getFields()).length : 0), 0),
    federated: graph.federation !== null,
    stateful: shapes.written,
    bytes: Buffer.byteLength(input.text),
  }
  if (input.isBrief !== true) {
    report.warnings.push(...schemaWarnings(graph, shapes))
    if (graph.federation !== null) report.warnings.push(...(await compose(graph.sdl)))
  }
  const parts = readGraphParts(input, { bounds, maxDelayMs: input.maxDelayMs })
  if ('errors' in parts) report.errors.push(...parts.errors)
  else report.warnings.push(...unusedParts(graph, shapes, parts.parts))
  if (input.against === null) return
  report.against = input.against.version
  if (input.against.text === input.text) {
    report.changes = { unchanged: true, breaking: [], dangerous: [], compatible: [] }
    return
  }
  // A document of another kind has nothing in common with it.
  const before = isGraphText(input.against.text) ? readSchema(input.against.text, bounds.graph).graph : null
  if (before !== null) report.changes = await compareSchemas(before.schema, graph.schema)
}

/** Names that protocols and svc add. */
function isAdded(name: string): boolean {
  return /^(?:__|_Any$|_FieldSet$|_Service$|_Entity$|federation__|link__|svc__)/.test(name)
}

function schemaWarnings({ schema }: GraphSchema, shapes: Shapes): Issue[] {
  const warnings: Issue[] = []
  const listed = new Set<string>()
  for (const type of Object.values(schema.getTypeMap())) {
    if (isAdded(type.name) || warnings.length >= MAX_WARNINGS) continue
    if (isScalarType(type) && !isSpecifiedScalarType(type) && !isKnownScalar(type.name) && type.name !== 'Upload')
      warnings.push(
        issue('unknown_scalar', type.name, `values of the scalar ${type.name} are texts such as "${type.name}-1"`),
      )
    if (!isObjectType(type) && !isInterfaceType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const named = getNamedType(field.type)
      if (isList(field.type) && isObjectType(named)) listed.add(named.name)
      if (field.astNode?.directives?.some(({ name }) => name.value === 'fake') === true)
        warnings.push(issue('fake_ignored', `${type.name}.${field.name}`, '@fake is ignored; use @examples'))
    }
  }
  for (const name of listed) {
    const type = schema.getType(name)
    if (isObjectType(type) && !isAdded(name) && shapes.identityOf(type).length === 0)
      warnings.push(
        issue(
          'no_identity',
          name,
          `${name} is in lists, but has no key, no field id and not just one field of type ID`,
        ),
      )
  }
  return warnings.slice(0, MAX_WARNINGS)
}

function unusedParts(graph: GraphSchema, shapes: Shapes, { rules, overrides }: GraphParts): Issue[] {
  const known = new Set(shapes.operations.map(({ key }) => key))
  const issues: Issue[] = []
  for (const [index, { operation }] of rules.entries())
    if (operation !== null && !known.has(operation))
      issues.push(issue('rule_never_matches', `rules[${index}].operation`, `there is no operation "${operation}"`))
  for (const place of Object.keys(overrides.asJson())) {
    const [type = '', field] = place.startsWith('/') || place === '*' ? [''] : place.split('.')
    if (type === '') continue
    const found = graph.schema.getType(type)
    const isKnown =
      found !== undefined && (field === undefined || ('getFields' in found && Object.hasOwn(found.getFields(), field)))
    if (!isKnown)
      issues.push(issue('rule_never_matches', `overrides[${JSON.stringify(place)}]`, `the schema has no ${place}`))
  }
  return issues
}
