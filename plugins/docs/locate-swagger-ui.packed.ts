/** Replaces `locate-swagger-ui.ts` in the npm package: finds the files that `pack.ts` has copied. */
import { join } from 'node:path'

/** Returns the absolute path of a file of Swagger UI. `folder` is the folder of the plugin. */
export function locateSwaggerUi(folder: string, name: string): string {
  return join(folder, '..', '..', 'dist', 'assets', 'docs', name)
}
