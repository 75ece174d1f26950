/** A compiled schema: its shapes, and the schema with the resolvers of the mock. */
import { GraphQLError, isObjectType, isScalarType, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql'
import { isRecord } from 'svc/toolkit'
import { compileSchema, type GraphSchema } from './read-schema.ts'
import { Shapes, type GraphOperationShape } from './shapes.ts'
import { readPlace } from './overrides.ts'
import { ValueEngine, type ValueContext } from './values.ts'

/** Memory of a schema for each character of its SDL: syntax tree, types and fields. Measured with schemas of 1 MiB. */
const BYTES_PER_CHARACTER = 40

/** Makes the events of a subscription; `make` gets their number. */
export type Pace = (
  pace: { count: number; intervalMs: number },
  make: (sequence: number) => object,
) => AsyncIterable<object>

export class CompiledGraph {
  readonly source: GraphSchema
  readonly shapes: Shapes
  readonly engine: ValueEngine
  readonly #byKey: ReadonlyMap<string, GraphOperationShape>
  #isExecutable = false

  constructor(sdl: string) {
    this.source = compileSchema(sdl)
    this.shapes = new Shapes(this.source)
    this.engine = new ValueEngine(this.shapes)
    this.#byKey = new Map(this.shapes.operations.map(operation => [operation.key, operation]))
  }

  get title(): string {
    return this.source.schema.description?.trim().split('\n', 1)[0]?.slice(0, 200) ?? ''
  }

  get isFederated(): boolean {
    return this.source.federation !== null
  }

  get bytes(): number {
    return this.source.sdl.length * BYTES_PER_CHARACTER
  }

  get operations(): readonly GraphOperationShape[] {
    return this.shapes.operations
  }

  operation(name: string): GraphOperationShape | undefined {
    return this.#byKey.get(name)
  }

  /** Whether a place of an override is one of this schema: its type or field exists. */
  hasPlace(text: string): boolean {
    const place = readPlace(text)
    if (place === null) return false
    if (place.kind === 'all' || place.kind === 'path') return true
    const type = this.source.schema.getType(place.type)
    if (type === undefined || place.kind === 'type') return type !== undefined
    return 'getFields' in type && Object.hasOwn(type.getFields(), place.field)
  }

  /** The schema with resolvers, whose context is a `ValueContext`. */
  executable(pace: Pace): GraphQLSchema {
    const { schema } = this.source
    if (this.#isExecutable) return schema
    this.#isExecutable = true
    const { engine } = this
    const resolve: GraphQLFieldResolver<unknown, ValueContext> = (source, args, context, info) =>
      engine.resolve(source, args as Record<string, unknown>, context, info)
    acceptFiles(schema)
    const subscription = schema.getSubscriptionType()
    for (const type of Object.values(schema.getTypeMap())) {
      if (!isObjectType(type) || type.name.startsWith('__') || type.name === '_Service') continue
      for (const field of Object.values(type.getFields())) {
        if (field.name === '_service' || field.name === '_entities') continue
        field.resolve = resolve as GraphQLFieldResolver<unknown, unknown>
        if (type === subscription)
          field.subscribe = (_source, _args, context) =>
            pace((context as ValueContext).settings.subscription, index => ({ index }))
      }
    }
    return schema
  }
}

/** The scalar `Upload` has files only, which come by the GraphQL multipart request specification. */
function acceptFiles(schema: GraphQLSchema): void {
  const type = schema.getType('Upload')
  if (!isScalarType(type)) return
  const refuse = (): never => {
    throw new GraphQLError('expected a file, sent by the GraphQL multipart request specification')
  }
  type.parseValue = value => (isRecord(value) && Buffer.isBuffer(value['content']) ? value : refuse())
  type.parseLiteral = refuse
}
