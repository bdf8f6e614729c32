/** The Python environment that is active for the workspace, if the Python extension knows one. */
import * as vscode from 'vscode';

const PYTHON_EXTENSION = 'ms-python.python';

/** The part of the Python extension's API that is used here. */
interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { id: string; path: string };
    resolveEnvironment(environment: {
      path: string;
    }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

/** The full path of the active environment's Python; undefined without the Python extension. */
export async function activeInterpreter(): Promise<string | undefined> {
  const environments = await pythonEnvironments();
  if (environments === undefined) return undefined;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const resolved = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
  return resolved?.executable.uri?.fsPath;
}

/** Calls back whenever the active environment changes. */
export async function onDidChangeEnvironment(changed: () => void): Promise<vscode.Disposable | undefined> {
  return (await pythonEnvironments())?.onDidChangeActiveEnvironmentPath(changed);
}

async function pythonEnvironments(): Promise<PythonApi['environments'] | undefined> {
  const extension = vscode.extensions.getExtension<Partial<PythonApi> | undefined>(PYTHON_EXTENSION);
  try {
    return (await extension?.activate())?.environments;
  } catch {
    return undefined; // a broken Python extension is no reason not to start
  }
}
