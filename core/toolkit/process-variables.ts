/** `${NAME}` in texts of `svc.yaml`: variables of the process. */

/** Replaces `${NAME}` with `valueOf(NAME)`. What is not closed or not a name is kept. */
export function fillVariables(template: string, valueOf: (variable: string) => string): string {
  const [first = '', ...others] = template.split('${')
  const filled = others.map(part => {
    const end = part.indexOf('}')
    const variable = end < 0 ? '' : part.slice(0, end)
    return /^[A-Za-z_]\w*$/.test(variable) ? valueOf(variable) + part.slice(end + 1) : `\${${part}`
  })
  return first + filled.join('')
}
