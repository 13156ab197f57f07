// Renders the templates of a Helm chart as `helm template` does, without the rest of Helm: the same
// template engine (text/template and sprig) and the functions that Helm adds to it.
// Standard input: {"folder": "…", "context": {"Values": …, "Release": …, "Chart": …}} as JSON.
// Standard output: a JSON object with the text of each file of templates/.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

func main() {
	var input struct {
		Folder  string                 `json:"folder"`
		Context map[string]interface{} `json:"context"`
	}
	// Numbers become float64, as the values of a chart do in Helm.
	check(json.NewDecoder(os.Stdin).Decode(&input))
	paths, err := filepath.Glob(filepath.Join(input.Folder, "templates", "*"))
	check(err)
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(functions(all))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		check(err)
		_, err = all.New(filepath.Base(path)).Parse(string(text))
		check(err)
	}
	rendered := map[string]string{}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var out strings.Builder
		check(all.ExecuteTemplate(&out, name, input.Context))
		// Helm does the same, because a missing value of a map is printed so.
		rendered[name] = strings.ReplaceAll(out.String(), "<no value>", "")
	}
	check(json.NewEncoder(os.Stdout).Encode(rendered))
}

func functions(all *template.Template) template.FuncMap {
	funcs := sprig.TxtFuncMap()
	delete(funcs, "env")
	delete(funcs, "expandenv")
	funcs["include"] = func(name string, data interface{}) (string, error) {
		var out strings.Builder
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	funcs["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	funcs["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	funcs["fail"] = func(message string) (string, error) { return "", errors.New(message) }
	return funcs
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
