/** The data of a GraphQL mock: the same question has the same answer at any time and in any mock. */
import {
  getNamedType,
  getNullableType,
  GraphQLError,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  type GraphQLAbstractType,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLScalarType,
} from 'graphql'
import { isRecord } from 'svc/toolkit'
import type { Json } from '../document/json.ts'
import { hash } from '../schema/seed.ts'
import { argumentsOf, knownFrom, leavesOf, MAX_ITEMS, sizeOf } from './given.ts'
import { identityValue, newIdentity } from './identities.ts'
import { mergedInto, MockObject, type Passed, type Values } from './mock-object.ts'
import type { SessionObjects } from './objects.ts'
import type { GraphOverride, GraphOverrides } from './overrides.ts'
import { leafValue } from './scalars.ts'
import type { GraphSettings } from './settings.ts'
import { hintsOf, isLeaf, isList, type FieldHints, type Shapes, type Write } from './shapes.ts'

/** What the fields of one operation have in common. */
export interface ValueContext {
  settings: GraphSettings
  overrides: GraphOverrides
  /** Null: mutations store nothing. */
  objects: SessionObjects | null
  /** Bytes of the answer: of values and names. */
  bytes: { left: number }
  /** From 0 (inclusive) to 1 (exclusive), for failure rates. */
  random(): number
  /** Resolves false if the client has left. */
  delay(ms: number): Promise<boolean>
}

/** Of a name and punctuation. */
const MEMBER_BYTES = 6

/** Computes the values of fields, and writes what mutations change. */
export class ValueEngine {
  readonly #shapes: Shapes
  readonly #hints = new WeakMap<object, FieldHints>()

  constructor(shapes: Shapes) {
    this.#shapes = shapes
  }

  /** The value of a field. `source` is the object; at the top, undefined, or the event of a subscription. */
  resolve(source: unknown, args: Values, context: ValueContext, info: GraphQLResolveInfo): unknown {
    if (context.bytes.left < 0) throw tooLarge()
    context.bytes.left -= String(info.path.key).length + MEMBER_BYTES
    const field = info.parentType.getFields()[info.fieldName]!
    const override = context.overrides.ofField(info, getNamedType(field.type).name)
    if (override === null) return this.#counted(this.#value(source, args, context, info, field, null), context)
    const overridden = (): unknown =>
      this.#counted(
        this.#overridden(override, field.type, context, info, () =>
          this.#value(source, args, context, info, field, override.size),
        ),
        context,
      )
    if (override.delayMs === 0) return overridden()
    return context.delay(override.delayMs).then(stays => {
      if (!stays) throw new GraphQLError('the client has left')
      return overridden()
    })
  }

  /** The object that a representation names; null if none of its keys is complete. */
  entity(typename: string, representation: Values, context: ValueContext): MockObject | null {
    const type = this.#shapes.schema.getType(typename)
    const object = isAbstractType(type) ? this.#shapes.schema.getPossibleTypes(type)[0] : type
    if (!isObjectType(object) || !this.#shapes.hasKey(typename, representation)) return null
    const known = leavesOf(representation, object)
    if (Object.keys(known).length === 0) return null
    const entity = this.#identified(object, `entity ${JSON.stringify(known)}`, { known }, context)
    return this.#stored(entity, context) === null ? null : entity
  }

  #overridden(
    { value, merge, error, failPercent }: GraphOverride,
    type: GraphQLOutputType,
    context: ValueContext,
    info: GraphQLResolveInfo,
    make: () => unknown,
  ): unknown {
    if (failPercent > 0 && context.random() * 100 < failPercent) {
      const { message, code, extensions } = error ?? {
        message: 'injected failure',
        code: 'INJECTED_FAILURE',
        extensions: {},
      }
      throw new GraphQLError(message, { extensions: { ...extensions, code } })
    }
    const base = value === undefined ? make() : this.#given(value, type, `value ${info.path.key}`)
    if (merge === null) return base
    return mergedInto(base, merge)
  }

  #value(
    source: unknown,
    args: Values,
    context: ValueContext,
    info: GraphQLResolveInfo,
    field: GraphQLField<unknown, unknown>,
    size: number | null,
  ): unknown {
    const { fieldName, parentType } = info
    const parent = source instanceof MockObject ? source : null
    const patch = parent !== null && Object.hasOwn(parent.merged, fieldName) ? parent.merged[fieldName] : undefined
    if (patch !== undefined && (!isRecord(patch) || isLeaf(field.type)))
      return this.#given(patch, field.type, `${parent!.key}\n${fieldName}`)
    if (parent !== null && Object.hasOwn(parent.known, fieldName) && parent.known[fieldName] !== undefined)
      return this.#given(parent.known[fieldName], field.type, `${parent.key}\n${fieldName}`)
    if (parent?.isClosed === true) return null
    const argumentText = Object.keys(args).length === 0 ? '' : JSON.stringify(args)
    const key = `${parent === null ? `${context.settings.seed}\n${parentType.name}` : parent.key}\n${fieldName}\n${argumentText}`
    const given = argumentsOf(
      args,
      field,
      parent === null || parent.passed.given === undefined ? NONE : parent.passed.given,
    )
    const passed: Passed = {
      ...(parent?.passed.index === undefined ? {} : { index: parent.passed.index }),
      given,
      ...sizeOf(args, parent),
    }
    if (parent === null && isRecord(source) && typeof source['index'] === 'number') passed.index = source['index']
    const write = context.objects === null ? undefined : this.#shapes.writes.get(`${parentType.name}.${fieldName}`)
    if (write !== undefined) return this.#write(write, field, key, passed, context)
    const isTop = parent === null && parentType === this.#shapes.schema.getQueryType()
    const made = this.#make(field.type, key, { field, info, passed, size, isTop }, context)
    return isRecord(patch) ? mergedInto(made, patch) : made
  }

  #make(type: GraphQLOutputType, key: string, at: At, context: ValueContext): unknown {
    if (isNonNullType(type)) return this.#make(type.ofType, key, { ...at, isRequired: true }, context)
    const { settings } = context
    const isNull = at.isRequired !== true && settings.nullPercent > 0 && hash(`${key}?`) % 100 < settings.nullPercent
    if (isNull && !at.isItem) return null
    if (isListType(type)) return this.#list(type.ofType, key, at, context)
    if (isScalarType(type) || isEnumType(type)) return this.#leaf(type, key, at)
    if (!isAbstractType(type)) return this.#object(type as GraphQLObjectType, key, at, context)
    const object = this.#possible(type, key, at)
    if (object !== undefined) return this.#object(object, key, at, context)
    if (at.isRequired !== true) return null
    throw new GraphQLError(`no type implements ${type.name}`, { extensions: { code: 'NO_POSSIBLE_TYPE' } })
  }

  #leaf(type: GraphQLScalarType | GraphQLEnumType, key: string, { field }: At): unknown {
    const { examples } = this.#hintsOf(field)
    if (examples !== null) return examples[hash(key) % examples.length]
    return leafValue(type, key, field.name)
  }

  #list(type: GraphQLOutputType, key: string, at: At, context: ValueContext): unknown[] {
    const { listLength } = this.#hintsOf(at.field)
    const chosen =
      listLength === null
        ? context.settings.listSize
        : listLength.min + (hash(key) % (listLength.max - listLength.min + 1))
    const count = Math.min(MAX_ITEMS, at.size ?? at.passed.size ?? chosen)
    const items: unknown[] = []
    const { size: _size, ...passed } = at.passed
    for (let index = 0; index < count; index++) {
      const override = at.isItem === true ? null : context.overrides.ofItem(at.info.path, index)
      const make = (): unknown =>
        this.#make(
          type,
          `${key}\n${index}`,
          { ...at, size: null, passed: { ...passed, index }, isItem: true, isRequired: false },
          context,
        )
      items.push(override === null ? make() : this.#item(override, type, context, at.info, make))
    }
    const named = getNamedType(type)
    if (!at.isTop || context.objects === null || !isObjectType(named) || isList(type)) return items
    const kept = items.filter(item => !(item instanceof MockObject) || this.#stored(item, context) !== null)
    const created = context.objects
      .created(named.name)
      .map(fields => this.#identified(named, key, { known: fields }, context))
    return [...kept, ...created]
  }

  /** An error of an item is in its place, as graphql-js has it. */
  #item(
    override: GraphOverride,
    type: GraphQLOutputType,
    context: ValueContext,
    info: GraphQLResolveInfo,
    make: () => unknown,
  ): unknown {
    const made = (): unknown => {
      try {
        return this.#overridden(override, type, context, info, make)
      } catch (error) {
        if (error instanceof GraphQLError) return error
        throw error
      }
    }
    return override.delayMs === 0 ? made() : context.delay(override.delayMs).then(made)
  }

  /**
   * In lists the possible types take turns; a look-up by an id such as `user-1` is of the type in it. Undefined: no type
   * implements an interface.
   */
  #possible(type: GraphQLAbstractType, key: string, { passed }: At): GraphQLObjectType | undefined {
    const possible = this.#shapes.schema.getPossibleTypes(type)
    const id = passed.given?.get('id ID')
    if (typeof id === 'string') {
      const named = possible.find(({ name }) => id.startsWith(`${name.toLowerCase()}-`))
      if (named !== undefined) return named
    }
    return possible[(passed.index ?? hash(key)) % possible.length]
  }

  #object(type: GraphQLObjectType, key: string, at: At, context: ValueContext): MockObject | null {
    const known = knownFrom(at.passed.given, type)
    if (this.#shapes.identityOf(type).length === 0) return new MockObject(type.name, { key, known, passed: at.passed })
    const object = this.#identified(
      type,
      key,
      { known, ...(at.passed.index === undefined ? {} : { index: at.passed.index }) },
      context,
    )
    return context.objects !== null &&
      at.isRequired !== true &&
      at.isItem !== true &&
      this.#stored(object, context) === null
      ? null
      : object
  }

  /** An object with an identity: the fields that are not known depend on it alone. */
  #identified(
    type: GraphQLObjectType,
    key: string,
    { known, index }: { known: Values; index?: number },
    context: ValueContext,
  ): MockObject {
    const names = this.#shapes.identityOf(type)
    const { seed, listSize } = context.settings
    // References lead to objects that lists have.
    const place = index ?? hash(key) % Math.max(1, listSize)
    const identity = names.map(name => known[name] ?? identityValue(type, name, place))
    const given = Object.fromEntries(names.map((name, at) => [name, identity[at]]))
    const object = new MockObject(type.name, {
      key: [seed, type.name, JSON.stringify(identity.map(String))].join('\n'),
      known: { ...known, ...given },
    })
    const stored = this.#stored(object, context)
    return stored == null
      ? object
      : new MockObject(type.name, { key: object.key, known: { ...object.known, ...stored.fields } })
  }

  #stored(object: MockObject, { objects }: ValueContext) {
    return objects === null ? undefined : objects.find(object.__typename, this.#identityTexts(object))
  }

  #identityTexts({ __typename, known }: MockObject): string[] {
    const type = this.#shapes.schema.getType(__typename) as GraphQLObjectType
    return this.#shapes.identityOf(type).map(name => String(known[name]))
  }

  async #write(
    { kind, type: typeName, payloadField }: Write,
    field: GraphQLField<unknown, unknown>,
    key: string,
    passed: Passed,
    context: ValueContext,
  ): Promise<unknown> {
    const objects = context.objects!
    const type = this.#shapes.schema.getType(typeName) as GraphQLObjectType
    const names = this.#shapes.identityOf(type)
    const known: Record<string, unknown> = { ...knownFrom(passed.given, type) }
    if (kind === 'create') {
      const number = objects.nextNumber(typeName)
      for (const name of names) known[name] ??= newIdentity(type, name, number)
    }
    if (!names.every(name => known[name] !== undefined))
      throw new GraphQLError(`${field.name} has no argument for ${names.join(', ')} of ${typeName}`, {
        extensions: { code: 'BAD_USER_INPUT' },
      })
    const identity = names.map(name => String(known[name]))
    const before = objects.find(typeName, identity)
    let object: MockObject | null = null
    if (kind === 'create' || before !== null) {
      if (kind === 'delete') {
        object = this.#identified(type, key, { known }, context)
        await objects.put(typeName, identity, null)
      } else {
        const fields = { ...before?.fields, ...known } as Record<string, Json>
        await objects.put(typeName, identity, { isNew: kind === 'create' || before?.isNew === true, fields })
        object = this.#identified(type, key, { known: fields }, context)
      }
    }
    if (isLeaf(field.type)) {
      const named = getNamedType(field.type).name
      return named === 'Boolean' ? object !== null : named === 'ID' || named === 'String' ? identity.join('-') : 1
    }
    if (payloadField === null) return object
    const payload = getNamedType(field.type) as GraphQLObjectType
    return new MockObject(payload.name, {
      key,
      known: { ...knownFrom(passed.given, payload), [payloadField]: object },
      passed,
    })
  }

  /** A given value as a field returns it: objects whose other fields are null. */
  #given(value: unknown, type: GraphQLOutputType, key: string): unknown {
    const plain = getNullableType(type)
    if (value === null || value instanceof MockObject) return value
    if (isListType(plain))
      return Array.isArray(value)
        ? value.map((item, index) => this.#given(item, plain.ofType as GraphQLOutputType, `${key}\n${index}`))
        : value
    if (!isRecord(value) || isScalarType(plain) || isEnumType(plain)) return value
    const possible = isAbstractType(plain) ? this.#shapes.schema.getPossibleTypes(plain) : [plain as GraphQLObjectType]
    const object = possible.find(({ name }) => name === value['__typename']) ?? possible[0]!
    return new MockObject(object.name, { key, known: value, isClosed: true })
  }

  #counted(value: unknown, context: ValueContext): unknown {
    if (value instanceof Promise) return value.then((resolved: unknown) => this.#counted(resolved, context))
    if (value === null || value instanceof MockObject) return value
    if (Array.isArray(value)) {
      for (const item of value) if (!(item instanceof MockObject)) this.#counted(item, context)
      return value
    }
    context.bytes.left -= sizeInBytes(value)
    if (context.bytes.left < 0) throw tooLarge()
    return value
  }

  #hintsOf(field: GraphQLField<unknown, unknown>): FieldHints {
    let hints = this.#hints.get(field)
    if (hints === undefined) this.#hints.set(field, (hints = hintsOf(field)))
    return hints
  }
}

/** Where a value is made. */
interface At {
  field: GraphQLField<unknown, unknown>
  info: GraphQLResolveInfo
  passed: Passed
  /** Items, by an override. */
  size: number | null
  /** Whether the field is at the top of a query. */
  isTop: boolean
  isRequired?: boolean
  isItem?: boolean
}

const NONE: ReadonlyMap<string, unknown> = new Map()

export function tooLarge(): GraphQLError {
  return new GraphQLError('the answer would be too large', { extensions: { code: 'RESPONSE_TOO_LARGE' } })
}

function sizeInBytes(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : 8
}
