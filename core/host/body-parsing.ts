/**
 * Decides which routes parse request bodies. By default a route gets bytes. If the route has a body schema, or its scope has
 * a parser or a `preParsing` hook, Fastify parses the body by its own rules.
 *
 * Fastify decides by method whether to parse a body, with an object that scopes inherit. Scopes that opt in get another
 * object. Its key is a private symbol, which is found by the value it has. The public alternative, a catch-all parser that
 * returns bytes, creates an async resource for every request and rejects a malformed Content-Type.
 */
import type { FastifyInstance } from 'fastify'
import { METHODS } from 'node:http'

/** Methods without (`bodyless`) and with (`bodywith`) a request body, in Fastify's own format. */
interface SupportedMethods {
  bodyless: Set<string>
  bodywith: Set<string>
}

type Scope = FastifyInstance & Record<symbol, unknown>
type Call = (this: Scope, ...args: unknown[]) => unknown

const BODYLESS = ['GET', 'HEAD', 'TRACE']

export interface BodyParsing {
  /** Whether the routes of a scope parse request bodies. */
  parses(scope: FastifyInstance): boolean
  /** The scope, for routes that always get bytes. */
  withoutParsing(scope: FastifyInstance): FastifyInstance
}

/** Disables body parsing in a new Fastify instance until a scope or a route opts in. */
export function parseOnDemand(app: FastifyInstance): BodyParsing {
  const root = app as Scope
  const methods = METHODS.filter(method => method !== 'CONNECT')
  for (const method of methods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true } as never)
  const key = keyOfMethods(root)
  const unparsed = root[key]
  const parsed: SupportedMethods = {
    bodyless: new Set(BODYLESS),
    bodywith: new Set(methods.filter(method => !BODYLESS.includes(method))),
  }
  const parses = (scope: Scope): boolean => scope[key] !== unparsed
  const optIn = (scope: Scope): void => {
    scope[key] = parsed
  }

  /** Views of scopes, for single routes that parse. */
  const views = new WeakMap<Scope, Scope>()
  const viewOf = (scope: Scope): Scope => {
    let view = views.get(scope)
    if (view === undefined) {
      view = Object.create(scope) as Scope
      optIn(view)
      views.set(scope, view)
    }
    return view
  }
  const override = (name: string, make: (original: Call) => Call): void => {
    const members = root as unknown as Record<string, Call>
    members[name] = make(members[name]!)
  }

  override(
    'addContentTypeParser',
    original =>
      function (...args) {
        optIn(this)
        return original.apply(this, args)
      },
  )
  override(
    'addHook',
    original =>
      function (...args) {
        if (args[0] === 'preParsing') optIn(this)
        return original.apply(this, args)
      },
  )
  for (const name of ['route', 'all', ...methods.map(method => method.toLowerCase())]) {
    override(
      name,
      original =>
        function (...args) {
          const options = args[name === 'route' ? 0 : 1]
          original.apply(!parses(this) && needsParsing(options) ? viewOf(this) : this, args)
          return this
        },
    )
  }
  // All methods are already added, and all plugins share them.
  override(
    'addHttpMethod',
    () =>
      function () {
        return this
      },
  )
  return {
    parses: scope => parses(scope as Scope),
    withoutParsing(scope) {
      const view = Object.create(scope) as Scope
      view[key] = unparsed
      return view
    },
  }
}

function needsParsing(options: unknown): boolean {
  const { schema, preParsing } = (options ?? {}) as { schema?: { body?: unknown }; preParsing?: unknown }
  return schema?.body !== undefined || preParsing !== undefined
}

function keyOfMethods(app: Scope): symbol {
  const key = Object.getOwnPropertySymbols(app).find(
    symbol => (app[symbol] as Partial<SupportedMethods> | null)?.bodywith instanceof Set,
  )
  if (key === undefined)
    throw new Error(
      `Fastify ${app.version} is not supported: it stores its HTTP methods differently. Install the version in svc's package.json`,
    )
  return key
}
