/** What the runner of GitHub offers to steps: inputs, outputs, variables of later steps, and where svc is installed. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'

/** An input; empty if it is not given. */
export function input(env, name, byDefault = '') {
  return env[`INPUT_${name.toUpperCase().replaceAll('-', '_')}`]?.trim() || byDefault
}

/** A number of an input. Throws an error that names it. */
export function numberInput(env, name, { byDefault, max }) {
  const text = input(env, name, String(byDefault))
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > max)
    throw new Error(`${name}: ${JSON.stringify(text)} is not a number from 0 to ${max}`)
  return value
}

/** `true` or `false` of an input. */
export function flagInput(env, name) {
  const text = input(env, name, 'true')
  if (text !== 'true' && text !== 'false') throw new Error(`${name}: ${JSON.stringify(text)} is neither true nor false`)
  return text === 'true'
}

/** Words that are separated by blanks. */
export function words(text) {
  return text.split(/\s+/).filter(word => word !== '')
}

/** Appends values to a file of the runner, by its variable: `GITHUB_OUTPUT` or `GITHUB_ENV`. Without it, nothing. */
export function writeValues(file, values) {
  if (file === undefined || file === '') return
  const lines = Object.entries(values).map(([name, value]) => {
    // Values can have several lines; the delimiter must not be one of them.
    const delimiter = `end-${randomUUID()}`
    return `${name}<<${delimiter}\n${value}\n${delimiter}\n`
  })
  appendFileSync(file, lines.join(''))
}

/** The launcher and the version of the package that `npm install` put into a folder. */
export function installedSvc(folder) {
  const [name] = Object.keys(readJson(join(folder, 'package.json')).dependencies ?? {})
  const home = join(folder, 'node_modules', name ?? '')
  const manifest = existsSync(join(home, 'package.json')) ? readJson(join(home, 'package.json')) : {}
  const main = manifest.bin?.svc
  if (name === undefined || main === undefined) throw new Error(`the package ${name ?? ''} has no command svc`)
  return { main: join(home, main), version: manifest.version }
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
