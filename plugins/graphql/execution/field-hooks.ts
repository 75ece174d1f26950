/** Hooks around the resolvers of fields: for faults and traces, without a cost for operations that have none. */
import {
  defaultFieldResolver,
  isObjectType,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql'

/** Called in place of the resolver of a field, which is `resolve`. */
export type FieldHook = (info: GraphQLResolveInfo, resolve: () => unknown) => unknown

/** Hooks by the context of their operation. */
export type FieldHooks = WeakMap<object, FieldHook>

/** A schema outlives a reload, and its resolvers are wrapped once. */
const HOOKS = Symbol.for('svc.graphql.field-hooks')

/** The hooks of a schema, for fields that have a resolver of their own; others take part by `hookedResolver`. */
export function hooksOf(schema: GraphQLSchema): FieldHooks {
  const extensions = schema.extensions as { [HOOKS]?: FieldHooks }
  if (extensions[HOOKS] !== undefined) return extensions[HOOKS]
  const hooks: FieldHooks = new WeakMap()
  schema.extensions = { ...schema.extensions, [HOOKS]: hooks }
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field
      if (resolve === undefined) continue
      field.resolve = (source, args, context: object, info) => {
        const hook = hooks.get(context)
        return hook === undefined
          ? resolve(source, args, context, info)
          : hook(info, () => resolve(source, args, context, info))
      }
    }
  }
  return hooks
}

/** The resolver of fields without one of their own, within a hook. */
export function hookedResolver(hook: FieldHook): GraphQLFieldResolver<unknown, unknown> {
  return (source, args, context, info) => hook(info, () => defaultFieldResolver(source, args, context, info))
}
