/** Finds the files of Swagger UI in its package. */
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Returns the absolute path of a file of Swagger UI. `folder` is the folder of the plugin. */
export function locateSwaggerUi(folder: string, name: string): string {
  return createRequire(join(folder, 'index.ts')).resolve(`swagger-ui-dist/${name}`)
}
