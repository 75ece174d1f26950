/** The editor of rules of all kinds: JSON completed from the instance's schema, and for some kinds with a form. */
import { callJson } from '../../lib/instance/api.ts'
import type { JsonSchema } from '../../lib/protocol/json-place.ts'
import { resolveAll, type FormSchema } from '../../lib/protocol/schema-form.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import { Editor } from '../../ui/editor.tsx'
import { FormWithJson } from '../../ui/form-with-json.tsx'

/** Templates of the routes that store rules; their descriptions have the schema. */
export const RULE_ROUTE = '/_svc/rules/{name}'
export const MOCK_RULE_ROUTE = '/_svc/mocks/{name}/rules/{id}'

interface StoreOperation {
  requestBody?: { content: Record<string, { schema?: JsonSchema }> }
}

/** The schema of a rule, from the OpenAPI document of the instance; null while it is loaded. */
export function useRuleSchema(route: string): JsonSchema | null {
  const loaded = useLoad(
    async signal => {
      const document = await callJson<FormSchema & { paths: Record<string, { put?: StoreOperation }> }>(
        'openapi.json',
        {
          signal,
        },
      )
      const schema = document.paths[route]?.put?.requestBody?.content['application/json']?.schema
      // Parts of it are components of the document.
      return schema === undefined ? null : (resolveAll(schema as FormSchema, document) as JsonSchema)
    },
    [route],
  )
  return loaded.value ?? null
}

/** A rule as JSON text. */
export function RuleText({
  schema,
  text,
  onText,
}: {
  schema: JsonSchema | null
  text: string
  onText(text: string): void
}) {
  return <Editor label="Rule as JSON" language="json" schema={schema} minLines={12} value={text} onValue={onText} />
}

/** A rule as a form and as JSON. `choices` are the values of members by name. */
export function RuleForm({
  schema,
  value,
  onValue,
  choices = {},
}: {
  schema: JsonSchema | null
  value: unknown
  onValue(value: unknown): void
  choices?: Readonly<Record<string, readonly string[]>>
}) {
  return (
    <FormWithJson
      schema={schema === null ? {} : formOf(schema as FormSchema, choices)}
      completion={schema}
      label="Rule"
      value={value}
      onValue={onValue}
    />
  )
}

/** Members with a value that forms have a control for; the others are edited as JSON. */
function formOf(schema: FormSchema, choices: Readonly<Record<string, readonly string[]>>): FormSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, member]): [string, FormSchema] => {
    const known = choices[name]
    if (known !== undefined) return [name, { ...member, type: undefined, enum: [...known] } as FormSchema]
    return [name, name === 'then' && member.properties !== undefined ? formOf(member, {}) : controlOf(member)]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

function controlOf(member: FormSchema): FormSchema {
  const { title, description, type } = member
  if (typeof type === 'string' && ['string', 'integer', 'number', 'boolean'].includes(type)) return member
  return { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) }
}
