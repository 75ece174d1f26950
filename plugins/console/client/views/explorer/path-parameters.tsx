/** The parameters of a path, as fields. */
import { fillTemplate, parameterNames, parameterValues } from '../../lib/protocol/path-template.ts'
import { TextField } from '../../ui/field.tsx'

/** A field for each `{name}` of the template; they and the path are two views of one thing. */
export function PathParameters({ template, path, onPath }: { template: string; path: string; onPath(path: string): void }) {
  const names = parameterNames(template)
  const query = path.indexOf('?')
  const [bare, rest] = query === -1 ? [path, ''] : [path.slice(0, query), path.slice(query)]
  const values = parameterValues(template, bare)
  if (names.length === 0) return null
  if (values === null) return <p class="hint">The path does not fit <code>{template}</code>; it is sent as it stands.</p>
  return (
    <div class="explorer-parameters" role="group" aria-label="Parameters of the path">
      {names.map((name, at) => (
        <TextField key={at} mono label={name} value={values[at]!} onValue={value => onPath(fillTemplate(template, values.with(at, value)) + rest)} />
      ))}
    </div>
  )
}
