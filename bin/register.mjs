/** `node --import svc/register --test ...`: plugins and their tests in TypeScript run as they are, on any Node. */
import 'tsx'
