/** A form generated from a JSON Schema: objects, arrays, enums, numbers, strings, booleans; JSON text for the rest. */
import { useState } from 'preact/hooks'
import { emptyValue, enumOf, isRequired, resolveSchema, typeOf, type FormSchema } from '../lib/protocol/schema-form.ts'
import { Button } from './button.tsx'
import { Checkbox, Select, TextArea, TextField, type InputType } from './field.tsx'

export interface SchemaFormProps {
  schema: FormSchema
  value: unknown
  onValue(value: unknown): void
  /** Label of the value. Default: the title of the schema. */
  label?: string
}

/** A controlled component; `emptyValue(schema)` gives the initial value. */
export function SchemaForm({ schema, value, onValue, label }: SchemaFormProps) {
  return (
    <div class="schema-form">
      <Part
        schema={schema}
        root={schema}
        value={value}
        onValue={onValue}
        label={label ?? schema.title ?? 'Value'}
        depth={0}
      />
    </div>
  )
}

interface PartProps {
  schema: FormSchema
  root: FormSchema
  value: unknown
  onValue(value: unknown): void
  label: string
  required?: boolean
  depth: number
}

/** Deeper levels are edited as JSON text. */
const MAX_DEPTH = 6

function Part(props: PartProps) {
  const schema = resolveSchema(props.schema, props.root)
  const kind = props.depth > MAX_DEPTH ? 'json' : typeOf(schema)
  const part = { ...props, schema, label: `${props.label}${props.required ? ' *' : ''}` }
  if (enumOf(schema) !== null) return <EnumPart {...part} />
  if (kind === 'object') return <ObjectPart {...part} />
  if (kind === 'array') return <ArrayPart {...part} />
  if (kind === 'boolean')
    return (
      <Checkbox label={part.label} hint={schema.description} checked={props.value === true} onChecked={props.onValue} />
    )
  if (kind === 'number' || kind === 'integer') return <NumberPart {...part} />
  if (kind === 'string') return <StringPart {...part} />
  return <JsonPart {...part} />
}

function ObjectPart({ schema, root, value, onValue, label, depth }: PartProps) {
  const record = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const properties = Object.entries(schema.properties ?? {})
  if (properties.length === 0 && (depth > 0 || schema.additionalProperties !== false))
    return <JsonPart {...{ schema, root, value, onValue, label, depth }} />
  const fields = properties.map(([name, property]) => (
    <Part
      key={name}
      schema={property}
      root={root}
      label={property.title ?? name}
      required={isRequired(schema, name)}
      depth={depth + 1}
      value={record[name]}
      onValue={next => {
        const { [name]: _old, ...rest } = record
        onValue(next === undefined ? rest : { ...record, [name]: next })
      }}
    />
  ))
  if (depth === 0) return fields.length === 0 ? <p class="quiet-text">Takes no arguments.</p> : <>{fields}</>
  return (
    <fieldset>
      <legend>{label}</legend>
      {schema.description && <p class="hint">{schema.description}</p>}
      {fields}
    </fieldset>
  )
}

function ArrayPart({ schema, root, value, onValue, label, depth }: PartProps) {
  const items = Array.isArray(value) ? (value as unknown[]) : []
  const itemSchema = resolveSchema(schema.items ?? {}, root)
  return (
    <fieldset>
      <legend>{label}</legend>
      {schema.description && <p class="hint">{schema.description}</p>}
      {items.map((item, index) => (
        <div key={index} class="array-item">
          <Part
            schema={itemSchema}
            root={root}
            label={`${label.replace(/ \*$/, '')} ${index + 1}`}
            value={item}
            depth={depth + 1}
            onValue={next => onValue(items.map((old, at) => (at === index ? next : old)))}
          />
          <Button
            small
            kind="quiet"
            icon="close"
            iconOnly
            onClick={() => onValue(items.filter((_item, at) => at !== index))}
          >{`Remove ${label} ${index + 1}`}</Button>
        </div>
      ))}
      <Button small icon="plus" onClick={() => onValue([...items, emptyValue(itemSchema, root)])}>
        Add
      </Button>
    </fieldset>
  )
}

function EnumPart({ schema, value, onValue, label, required }: PartProps) {
  const choices = enumOf(schema)!
  const options = choices.map(({ value: choice, title }, index) => ({
    value: String(index),
    label: title ?? (typeof choice === 'string' ? choice : JSON.stringify(choice)),
  }))
  const at = choices.findIndex(({ value: choice }) => JSON.stringify(choice) === JSON.stringify(value))
  return (
    <Select
      label={label}
      hint={schema.description}
      value={at === -1 ? '' : String(at)}
      options={required && at !== -1 ? options : [{ value: '', label: '–' }, ...options]}
      onValue={index => onValue(index === '' ? undefined : choices[Number(index)]!.value)}
    />
  )
}

function NumberPart({ schema, value, onValue, label }: PartProps) {
  return (
    <TextField
      type="number"
      label={label}
      hint={schema.description}
      value={typeof value === 'number' ? String(value) : ''}
      step={schema.type === 'integer' ? 1 : 'any'}
      {...(schema.minimum === undefined ? {} : { min: schema.minimum })}
      {...(schema.maximum === undefined ? {} : { max: schema.maximum })}
      onValue={text => onValue(text === '' ? undefined : Number(text))}
    />
  )
}

const INPUT_TYPES: Record<string, InputType> = { date: 'date', email: 'email', uri: 'url' }

function StringPart({ schema, value, onValue, label, required }: PartProps) {
  const change = (text: string) => onValue(text === '' && !required ? undefined : text)
  const shared = { label, hint: schema.description, value: typeof value === 'string' ? value : '', onValue: change }
  if ((schema.maxLength ?? 0) > 200) return <TextArea {...shared} />
  return <TextField {...shared} type={INPUT_TYPES[schema.format ?? ''] ?? 'text'} />
}

/** Reports the value whenever the text is valid JSON. */
function JsonPart({ schema, value, onValue, label }: PartProps) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2))
  const [error, setError] = useState<string | null>(null)
  function change(next: string): void {
    setText(next)
    try {
      onValue(next.trim() === '' ? undefined : JSON.parse(next))
      setError(null)
    } catch (reason) {
      setError((reason as Error).message)
    }
  }
  return (
    <TextArea mono label={`${label} (JSON)`} hint={schema.description} error={error} value={text} onValue={change} />
  )
}
