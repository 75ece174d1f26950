/** Names of files with recordings. */
import type { RequestShape } from './request-shape.ts'

/** `<METHOD>_<path>_<8 hex digits>.yaml`; with a number if another request has the name. */
export function fileNameOf({ method, path }: RequestShape, key: string, isUsed: (name: string) => boolean): string {
  const verb = method.replaceAll(/[^A-Za-z0-9-]/g, '-').slice(0, 32)
  const slug = path
    .replaceAll(/[^A-Za-z0-9]{1,2000}/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60)
  const stem = `${verb}_${slug === '' ? 'root' : slug}_${key.slice(0, 8)}`
  let name = `${stem}.yaml`
  for (let number = 2; isUsed(name); number++) name = `${stem}-${number}.yaml`
  return name
}
