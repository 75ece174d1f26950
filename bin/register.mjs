/** `node --import svc/register --test ...` runs plugins and their tests in TypeScript on all supported versions of Node. */
import 'tsx'
