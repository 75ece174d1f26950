/** Fields for the parameters of a path. */
import { fillTemplate, readParameters, templateParameters } from '../../../../../core/toolkit/path-template.ts'
import { TextField } from '../../ui/field.tsx'

/** One field for each `{name}` of the template. Fields and path update each other. */
export function PathParameters({
  template,
  path,
  onPath,
}: {
  template: string
  path: string
  onPath(path: string): void
}) {
  const parameters = templateParameters(template)
  const query = path.indexOf('?')
  const [bare, rest] = query === -1 ? [path, ''] : [path.slice(0, query), path.slice(query)]
  const values = readParameters(template, bare)
  if (parameters.length === 0) return null
  if (values === null)
    return (
      <p class="hint">
        The path does not match <code>{template}</code>. It is sent unchanged.
      </p>
    )
  return (
    <div class="explorer-parameters" role="group" aria-label="Path parameters">
      {parameters.map(({ name }, at) => (
        <TextField
          key={at}
          mono
          label={name}
          value={values[at]!}
          onValue={value => onPath(fillTemplate(template, values.with(at, value)) + rest)}
        />
      ))}
    </div>
  )
}
