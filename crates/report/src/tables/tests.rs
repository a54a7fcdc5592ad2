//! One small table in each format, with all that a stranger could put into it.

use expect_test::expect;

use super::*;

fn table() -> Table {
    let columns = vec![
        Column::words("agent", "Agent"),
        Column::count("episodes", "Episodes"),
        Column::percent("success", "Success"),
        Column::decimals("minutes", "Resolved in (min)", 1),
    ];
    let mut table = Table::new("sample", "A & B", columns);
    let estimate = Estimate { value: 0.785, interval: Some((0.7214, 1.0)) };
    table.push(vec![Cell::words("steady"), 12345u32.into(), Cell::Estimate(estimate), 2.449.into()]);
    let hostile = "=cmd|'/c calc'!A1,\"<img src=x onerror=alert(1)>\n\\input{x} [a](javascript:b) $_^{%#&~}";
    table.push(vec![Cell::words(hostile), 1u32.into(), Cell::Number(-0.00001), Cell::Nothing]);
    table
}

#[test]
fn csv_keeps_numbers_and_runs_no_formula() {
    expect![[r#"
        agent,episodes,success,success_low,success_high,minutes
        steady,12345,0.785,0.7214,1,2.449
        "'=cmd|'/c calc'!A1,""<img src=x onerror=alert(1)>␊\input{x} [a](javascript:b) $_^{%#&~}",1,-0.00001,,,
    "#]]
    .assert_eq(&csv(&table()).replace("\r\n", "\n"));
}

#[test]
fn markdown_shows_text_as_text() {
    expect![[r#"
        | Agent                                                                                                        | Episodes |                Success | Resolved in (min) |
        | ------------------------------------------------------------------------------------------------------------ | -------: | ---------------------: | ----------------: |
        | steady                                                                                                       |   12 345 | 78.5 % \[72.1, 100.0\] |               2.4 |
        | =cmd\|'/c calc'\!A1,"&lt;img src=x onerror=alert(1)&gt;␊\\input\{x\} \[a\](javascript:b) \$\_^\{%\#&amp;\~\} |        1 |                  0.0 % |                 – |
    "#]]
    .assert_eq(&markdown(&table()));
}

#[test]
fn latex_sets_text_as_text() {
    expect![[r#"
        % Needs \usepackage{booktabs}.
        \begin{table}
          \centering
          \caption{A \& B}
          \label{tab:sample}
          \begin{tabular}{lrrr}
            \toprule
            Agent & Episodes & Success & Resolved in (min) \\
            \midrule
            steady & 12\,345 & 78.5~\% {[}72.1, 100.0{]} & 2.4 \\
            =cmd\textbar{}'/c calc'!A1,{\char34}\textless{}img src=x onerror=alert(1)\textgreater{}?\textbackslash{}input\{x\} {[}a{]}(javascript:b) \$\_\textasciicircum{}\{\%\#\&\textasciitilde{}\} & 1 & 0.0~\% & -- \\
            \bottomrule
          \end{tabular}
        \end{table}
    "#]]
    .assert_eq(&latex(&table()));
}

#[test]
fn json_keeps_what_was_measured() {
    expect![[r#"
        [
          {
            "agent": "steady",
            "episodes": 12345,
            "minutes": 2.449,
            "success": {
              "high": 1.0,
              "low": 0.7214,
              "value": 0.785
            }
          },
          {
            "agent": "=cmd|'/c calc'!A1,\"<img src=x onerror=alert(1)>␊\\input{x} [a](javascript:b) $_^{%#&~}",
            "episodes": 1,
            "minutes": null,
            "success": -0.00001
          }
        ]"#]]
    .assert_eq(&serde_json::to_string_pretty(&json(&table())["rows"]).expect("it is JSON"));
}

#[test]
fn people_read_short_numbers() {
    let cases = [
        (Form::Percent, 0.98765, "98.8\u{a0}%"),
        (Form::Percent, -0.0001, "0.0\u{a0}%"),
        (Form::Count, 164_419.8, "164\u{202f}420"),
        (Form::Count, 1234.0, "1234"),
        (Form::Count, -12_345.0, "-12\u{202f}345"),
        (Form::Decimals(2), 1.005_1, "1.01"),
        (Form::Chance, 0.012_34, "0.0123"),
        (Form::Chance, 1e-9, "< 0.0001"),
        (Form::Chance, 0.0, "0.0000"),
    ];
    for (form, value, expect) in cases {
        assert_eq!(form.show(value), expect, "{value}");
    }
}

#[test]
fn columns_are_chosen_and_ordered() {
    let keys = |text: &str| text.split(',').map(str::to_string).collect::<Vec<String>>();
    let few = table().with_columns(&keys("success,agent")).expect("both are there");
    expect![[r#"
        success,success_low,success_high,agent
        0.785,0.7214,1,steady
    "#]]
    .assert_eq(&csv(&few).replace("\r\n", "\n").lines().take(2).map(|line| format!("{line}\n")).collect::<String>());
    assert!(latex(&few).contains("{rl}") && latex(&few).contains("Success & Agent"));
    let problem = table().with_columns(&keys("agent,sucess")).expect_err("it is misspelt");
    assert_eq!(problem, "the table `sample` has no column `sucess`; it has agent, episodes, success, minutes");
}
