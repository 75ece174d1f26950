/** State of the load test form. The URL hash holds all of it except headers and body, which may be secret. */
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { faultHeaders, NO_FAULTS, type Faults } from '../../lib/instance/faults.ts'
import type { NameValue } from '../../lib/protocol/http.ts'
import { MAX_IN_FLIGHT, MAX_REQUESTS, type LoadPlan } from '../../lib/load/load.ts'
import { route, setParams } from '../../lib/shell/router.ts'
import type { Gateway } from '../../lib/shell/storage.ts'

const DEFAULTS = {
  method: 'GET',
  path: '/echo',
  n: '200',
  c: '5',
  rate: '',
  timeout: '30',
  delay: '',
  fail: '',
  abort: '',
}
export type FormField = keyof typeof DEFAULTS
export type LoadForm = Record<FormField, string>

/** Headers and body of every request, in addition to the fault headers. */
export const extras = signal<{ headers: NameValue[]; body: string }>({ headers: [], body: '' })

/** The form values and a function to change them. A link to another load test replaces the values. */
export function useLoadForm(): [LoadForm, (changes: Partial<LoadForm>) => void] {
  const inHash = readHash()
  const [form, setForm] = useState(inHash)
  const written = useRef(JSON.stringify(inHash))
  const key = JSON.stringify(inHash)
  useEffect(() => {
    if (written.current !== key) setForm(inHash)
    written.current = key
  }, [key])

  return [
    form,
    changes => {
      const next = { ...form, ...changes }
      setForm(next)
      const fields = Object.keys(DEFAULTS) as FormField[]
      setParams(Object.fromEntries(fields.map(field => [field, next[field] === DEFAULTS[field] ? null : next[field]])))
      written.current = JSON.stringify(readHash())
    },
  ]
}

function readHash(): LoadForm {
  const { params } = route.value
  return Object.fromEntries(
    Object.entries(DEFAULTS).map(([field, value]) => [field, params.get(field) ?? value]),
  ) as LoadForm
}

export function faultsOf({ delay, fail, abort }: LoadForm): Faults {
  return { ...NO_FAULTS, delay, fail, abort }
}

/** Bounds of the number fields; optional ones may be empty. */
const BOUNDS = {
  n: { least: 1, most: MAX_REQUESTS, isOptional: false },
  c: { least: 1, most: MAX_IN_FLIGHT, isOptional: false },
  rate: { least: 0.1, most: 1000, isOptional: true },
  timeout: { least: 1, most: 120, isOptional: false },
} as const

export function problemsOf(form: LoadForm): Partial<Record<FormField, string>> {
  const problems: Partial<Record<FormField, string>> = {}
  for (const [field, { least, most, isOptional }] of Object.entries(BOUNDS) as [
    keyof typeof BOUNDS,
    (typeof BOUNDS)[keyof typeof BOUNDS],
  ][]) {
    const text = form[field].trim()
    const value = Number(text)
    if (isOptional && text === '') continue
    const isWhole = field === 'rate' || Number.isInteger(value)
    if (text === '' || !isWhole || !(value >= least && value <= most))
      problems[field] = `${field === 'rate' ? 'Enter a number' : 'Enter a whole number'} from ${least} to ${most}.`
  }
  if (!form.path.trim().startsWith('/')) problems.path = 'The path must start with a slash.'
  return problems
}

/** The plan of a valid form. */
export function planOf(form: LoadForm, gateway: Gateway | null): LoadPlan {
  const { headers, body } = extras.peek()
  return {
    request: {
      method: form.method,
      path: form.path.trim(),
      headers: [...headers, ...faultHeaders(faultsOf(form))],
      body: body === '' ? null : body,
      gateway,
    },
    total: Number(form.n),
    inFlight: Number(form.c),
    perSecond: form.rate.trim() === '' ? null : Number(form.rate),
    timeoutMs: Number(form.timeout) * 1000,
  }
}
