/** Response templates of MockServer: Mustache and Velocity whose text is a JSON object. */
import { convertTemplate, pathNames, type Translate } from '../templates/handlebars.ts'

const WORDS: Readonly<Record<string, string>> = {
  uuid: 'uuid',
  now_iso_8601: 'now',
  now_iso8601: 'now',
  now_epoch: 'now.epoch',
}
const MEMBERS: Readonly<Record<string, string>> = {
  queryStringParameters: 'query',
  pathParameters: 'path',
  headers: 'header',
  cookies: 'cookie',
}

const translate: Translate = ({ name, args, named }) =>
  args.length > 0 || Object.keys(named).length > 0 ? undefined : referenceOf(name)

function referenceOf(path: string): ReturnType<Translate> {
  if (Object.hasOwn(WORDS, path)) return { reference: WORDS[path]! }
  const names = pathNames(path)
  if (names === undefined || names[0] !== 'request') return undefined
  const [, member = '', name, index, ...others] = names
  if (['method', 'path', 'body'].includes(member) && name === undefined) return { reference: `request.${member}` }
  const word = Object.hasOwn(MEMBERS, member) ? MEMBERS[member] : undefined
  if (word === undefined || name === undefined || others.length > 0 || (index !== undefined && index !== '0'))
    return undefined
  return { reference: `request.${word}.${name}` }
}

/** The text with references of rules; otherwise what cannot be expressed. */
export function templateText(type: string, template: string): { text: string } | { problem: string } {
  if (type === 'MUSTACHE') return fromHandlebars(template)
  if (type === 'VELOCITY') return fromVelocity(template)
  return { problem: `templates of ${type.slice(0, 40)} are code` }
}

function fromHandlebars(template: string): { text: string } | { problem: string } {
  const converted = convertTemplate(template, translate)
  if ('block' in converted) return { problem: `blocks have no counterpart: ${converted.block}` }
  if (converted.lost.length > 0) return { problem: `the helper has no counterpart: ${converted.lost[0]}` }
  return { text: converted.text }
}

const VELOCITY = /\$!?\{?((?:request|uuid|now_\w+)\b(?:\.[A-Za-z_]\w*|\['[^']*'\]|\["[^"]*"\]|\[\d+\])*)\}?/g

function fromVelocity(template: string): { text: string } | { problem: string } {
  const directive = /#(?:set|if|foreach|else|elseif|end|include|parse|macro)\b/.exec(template)
  if (directive !== null) return { problem: `directives have no counterpart: ${directive[0]}` }
  let problem: string | null = null
  const text = template.replaceAll(VELOCITY, (whole, path: string) => {
    const found = referenceOf(path)
    if (found === undefined || 'literal' in found)
      problem ??= `the reference has no counterpart: ${whole.slice(0, 100)}`
    return found === undefined || 'literal' in found ? '' : `{{${found.reference}}}`
  })
  if (problem !== null) return { problem }
  const other = /\$!?\{?[a-zA-Z_]\w*/.exec(text)
  return other === null ? { text } : { problem: `the reference has no counterpart: ${other[0].slice(0, 100)}` }
}
