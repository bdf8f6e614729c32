/**
 * Virtual documents' URIs on their way to the server.
 *
 * VS Code decodes a URI when it reads one, and encodes the `=` and `&` between the values of a query when it
 * writes it: what would come back to the server is not what the server wrote.
 */

/** What is needed of VS Code's Uri; the parts are decoded, `toString` is VS Code's spelling. */
export interface Uri {
  scheme: string;
  path: string;
  query: string;
  toString(): string;
}

/** Remembers how the server spells its URIs. */
export class Spellings {
  private readonly known = new Map<string, string>();

  /** Keeps `text`, the server's spelling of `uri`. */
  remember(uri: Uri, text: string): void {
    this.known.set(uri.toString(), text);
  }

  /** The server's spelling; put together again for a document from before the window was reloaded. */
  of(uri: Uri): string {
    return this.known.get(uri.toString()) ?? respell(uri);
  }
}

function respell({ scheme, path, query }: Uri): string {
  const encodedPath = path.split('/').map(encodeURIComponent).join('/');
  const encodedQuery = query.split('&').map(encodePair).join('&');
  return `${scheme}:${encodedPath}${encodedQuery && '?'}${encodedQuery}`;
}

function encodePair(pair: string): string {
  const [key = '', ...value] = pair.split('=');
  return [key, ...(value.length > 0 ? [value.join('=')] : [])].map(encodeURIComponent).join('=');
}
