/** Templates of Mockoon. */
import { pathNames, type Translate } from '../templates/handlebars.ts'

const WITHOUT_ARGUMENTS: Readonly<Record<string, string>> = {
  method: 'request.method',
  hostname: 'request.host',
  ip: 'request.client_ip',
  body: 'request.body',
  bodyRaw: 'request.body',
  uuid: 'uuid',
  guid: 'uuid',
  now: 'now',
}
const NAMED: Readonly<Record<string, string>> = {
  urlParam: 'path',
  queryParam: 'query',
  queryParamRaw: 'query',
  header: 'header',
  cookie: 'cookie',
}

export const mockoonTemplate: Translate = ({ name, args, named }) => {
  if (Object.keys(named).length > 0) return undefined
  const [first, fallback, ...others] = args
  if (others.length > 0) return undefined
  if (first === undefined)
    return Object.hasOwn(WITHOUT_ARGUMENTS, name) ? { reference: WITHOUT_ARGUMENTS[name]! } : undefined
  const byDefault = fallback === undefined || fallback === '' ? {} : { fallback }
  const word = Object.hasOwn(NAMED, name) ? NAMED[name]! : undefined
  if (word !== undefined)
    return /^[\w-]+$/.test(first) ? { reference: `request.${word}.${first}`, ...byDefault } : undefined
  if (name === 'body' || name === 'bodyRaw') {
    const names = pathNames(first)
    return names === undefined ? undefined : { reference: ['request.body', ...names].join('.'), ...byDefault }
  }
  if (
    name === 'int' &&
    fallback !== undefined &&
    /^-?\d+$/.test(first) &&
    /^-?\d+$/.test(fallback) &&
    Number(first) <= Number(fallback)
  )
    return { reference: `random.int.${first}.${fallback}` }
  if (name === 'faker' && (first === 'string.uuid' || first === 'datatype.uuid') && fallback === undefined)
    return { reference: 'uuid' }
  return undefined
}
