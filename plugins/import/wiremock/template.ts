/** Response templates of WireMock. */
import type { JsonObject } from 'svc/plugin'
import { textOf } from '../stub/stub.ts'
import { pathNames, type Translate } from '../templates/handlebars.ts'

const REQUEST: Readonly<Record<string, string>> = {
  url: 'url',
  method: 'method',
  host: 'host',
  scheme: 'scheme',
  clientIp: 'client_ip',
  body: 'body',
}

/** `parameters`: those of the transformer. `request`: the word for the request. */
export function wiremockTemplate(parameters: JsonObject = {}, request = 'request'): Translate {
  return ({ name, args, named }) => {
    if (args.length === 0 && name.startsWith(`${request}.`)) return requestReference(name.slice(request.length + 1))
    if (args.length === 0 && name.startsWith('parameters.')) {
      const names = pathNames(name.slice('parameters.'.length))
      const value = names?.length === 1 ? parameters[names[0]!] : undefined
      return value === undefined ? undefined : { literal: textOf(value) }
    }
    switch (name) {
      case 'jsonPath': {
        const names = args.length === 2 && args[0] === `${request}.body` ? pathNames(args[1]!) : undefined
        if (names === undefined || Object.keys(named).some(key => key !== 'default')) return undefined
        return {
          reference: ['request.body', ...names].join('.'),
          ...(named.default === undefined ? {} : { fallback: named.default }),
        }
      }
      case 'now':
        if (args.length > 0 || Object.keys(named).some(key => key !== 'format')) return undefined
        if (named.format === undefined) return { reference: 'now' }
        return named.format === 'epoch'
          ? { reference: 'now.epoch_ms' }
          : named.format === 'unix'
            ? { reference: 'now.epoch' }
            : undefined
      case 'randomValue':
        if (named.type === 'UUID') return { reference: 'uuid' }
        if (named.type === 'HEXADECIMAL' && /^[1-9]\d{0,2}$/.test(named.length ?? '') && named.uppercase === undefined)
          return { reference: `random.hex.${named.length}` }
        return undefined
      case 'randomInt': {
        const [lower, upper] = [Number(named.lower), Number(named.upper)]
        return Number.isInteger(lower) && Number.isInteger(upper) && lower < upper
          ? { reference: `random.int.${lower}.${upper - 1}` }
          : undefined
      }
      default:
        return undefined
    }
  }
}

function requestReference(path: string): ReturnType<Translate> {
  const names = pathNames(path)
  if (names === undefined) return undefined
  const [word = '', ...rest] = names
  const own = Object.hasOwn(REQUEST, word) ? REQUEST[word] : undefined
  if (own !== undefined && rest.length === 0) return { reference: `request.${own}` }
  switch (word) {
    case 'path':
      if (rest.length === 0) return { reference: 'request.path' }
      if (rest.length > 1) return undefined
      return { reference: /^\d+$/.test(rest[0]!) ? `request.segments.${rest[0]}` : `request.path.${rest[0]}` }
    case 'pathSegments':
      return rest.length === 1 && /^\d+$/.test(rest[0]!) ? { reference: `request.segments.${rest[0]}` } : undefined
    case 'query':
      return rest.length === 1 || (rest.length === 2 && /^\d+$/.test(rest[1]!))
        ? { reference: `request.query.${rest.join('.')}` }
        : undefined
    case 'headers':
    case 'cookies':
      if (rest.length === 0 || rest.length > 2 || (rest.length === 2 && rest[1] !== '0')) return undefined
      return { reference: `request.${word === 'headers' ? 'header' : 'cookie'}.${rest[0]}` }
    default:
      return undefined
  }
}
